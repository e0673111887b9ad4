import { describe, expect, it } from '@jest/globals';
import type { EgressHop } from '../../../ports/network/egress.port.js';
import type { GrantedSecret } from '../../../secret-text/granted-secret.js';
import { hopFiller, inJson, newToken } from './hop-filler.api.js';

const token = newToken();
const secret = {
  name: 'KEY',
  value: 'a"b/c',
  hosts: ['api.example.com'],
  allowedHosts: 'any',
} as unknown as GrantedSecret;
const granted = new Map([['KEY', secret]]);
const tokens = [{ token, value: 'a"b/c', secret: 'KEY' }];
const hop = (more: Partial<EgressHop> = {}): EgressHop =>
  ({
    url: `https://api.example.com/?k=${token}`,
    host: 'api.example.com',
    headers: [['authorization', `Bearer ${token}`]],
    body: Buffer.from(`{"k":"${token}"}`),
    allowedByOperator: async () => true,
    ...more,
  }) as EgressHop;
const fill = (filling: Partial<Parameters<typeof hopFiller>[0]> = {}) =>
  hopFiller({ tokens, granted, whose: 'function', inBody: inJson, ...filling });

describe('a hop', () => {
  it('gets the secret in its address, its headers and its body, each with its encoding', async () => {
    const filled = await fill()?.(hop());
    expect(filled).toMatchObject({
      url: 'https://api.example.com/?k=a%22b%2Fc',
      headers: [['authorization', 'Bearer a"b/c']],
      readable: true,
    });
    expect(Buffer.from(filled?.body ?? '').toString()).toBe('{"k":"a\\"b/c"}');
  });

  it('is refused if its secrets would make it far larger than a request may be', async () => {
    const repeated = hop({ body: Buffer.from(token.repeat(200_000)) });
    const long = { token, value: 'v'.repeat(2_000), secret: 'KEY' };
    await expect(fill({ tokens: [long] })?.(repeated)).rejects.toMatchObject({ kind: 'too-large' });
    const filled = await fill({ tokens: [{ ...long, value: 'v' }] })?.(repeated);
    expect(filled?.body).toHaveLength(200_000);
  });

  it('gets each of many secrets at its place, and texts that resemble tokens stay', async () => {
    const many = Array.from({ length: 50_000 }, (_, at) => ({ token: newToken(), value: `v${at}`, secret: 'KEY' }));
    const alike = `cs${'0'.repeat(35)}`;
    const body = Buffer.from(`${alike}${many.map((one) => one.token).join(alike)}cs`);
    const filled = await fill({ tokens: many })?.(hop({ body }));
    const expected = `${alike}${many.map(({ value }) => value).join(alike)}cs`;
    expect(Buffer.from(filled?.body ?? '').toString() === expected).toBe(true);
  });

  it('to another host is refused, naming the secret and the host', async () => {
    const sent = fill()?.(hop({ url: 'https://evil.example.com/', host: 'evil.example.com' }));
    await expect(sent).rejects.toMatchObject({
      code: 'secret-host',
      message: expect.stringContaining('The secret KEY was not sent to evil.example.com'),
    });
  });

  it('that a server redirects to another host is followed if its address contains no secret', async () => {
    const away = { host: 'other.example.com', url: 'https://other.example.com/', headers: [] };
    expect(await fill()?.(hop({ ...away, location: 'https://other.example.com/' }))).toMatchObject({ url: away.url });
    const carried = hop({
      ...away,
      url: 'https://other.example.com/?a"b/c',
      location: 'https://other.example.com/?a"b/c',
    });
    await expect(fill()?.(carried)).rejects.toMatchObject({ message: expect.stringContaining('was not followed') });
  });

  it('is not filled if no secret may be sent anywhere', () => {
    expect(fill({ granted: new Map([['KEY', { ...secret, hosts: [] }]]) })).toBeUndefined();
  });
});
