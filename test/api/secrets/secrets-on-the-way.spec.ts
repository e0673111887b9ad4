import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Egress } from '../../../src/ports/network/egress.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { activeFlow, ranFlow } from '../../support/automations/flows.js';
import { Authority } from '../../support/egress/certificates.js';
import { EgressScene, resolverOf } from '../../support/egress/egress-scene.js';
import type { Seen, TestServer } from '../../support/egress/test-server.js';
import { done } from '../../support/people.js';

const value = 'sk_live_S3cr3t/Value+With=Signs';
const base64 = Buffer.from(`Bearer ${value}`).toString('base64');
const authority = new Authority('Test authority');
const scene = new EgressScene();
let app: TestApp;
/** One server with several host names, because permissions depend on the name in the request. */
let server: TestServer;
let secure: TestServer;
let six: TestServer;
let respond: (seen: Seen, response: ServerResponse) => void;

beforeAll(async () => {
  const names = { 'public.test': ['93.184.215.14'] };
  const allow = ['127.0.0.1', '::1'];
  const egress = scene.egress({ ...resolverOf(names), allow, ca: [authority.cert] });
  app = await startApp({ replacements: [{ provide: Egress, useValue: egress }] });
  await done(app, 'workspace/updateSettings', { versions: false });
  const allowedHosts = ['api.test', '*.api.test', 'public.test', '[::1]'];
  await done(app, 'automations/setEnvVar', { name: 'API_KEY', value, allowedHosts });
}, 60_000);
afterAll(() => app.close());
beforeEach(async () => {
  respond = (_, response) => response.end('ok');
  const answer = (seen: Seen, response: ServerResponse) => respond(seen, response);
  server = await scene.http(answer);
  secure = await scene.http(answer, { tls: authority.issue({ hosts: ['api.test'] }) });
  six = await scene.http(answer, { host: '::1' });
});
afterEach(() => scene.close());

const hosts = ['api.test', 'eu.api.test', 'public.test', '[::1]'];
const at = (host: string, path = '/') => server.url(host, path);
let made = 0;
async function holding(code: string, secrets: readonly object[] = [{ name: 'API_KEY', hosts }]): Promise<string> {
  const { id } = await done(app, 'automations/createFunction', { name: `way ${made++}`, code });
  if (secrets.length > 0) await approved(app, await app.call('automations/setFunctionSecrets', { id, secrets }));
  return id as string;
}
/** The result of the call, or the code and message of its refusal. */
const run = async (call: string, secrets?: readonly object[]) => {
  const code = `try { return ${call} } catch (error) { return { code: error.code, message: error.message } }`;
  const { body } = await app.call('automations/invokeFunction', { id: await holding(code, secrets), event: {} });
  return body.result;
};
const fetched = (url: string, options: string) => run(`await (await ctx.fetch('${url}', ${options})).text()`);
const key = "ctx.secrets.ref('API_KEY')";
const seenAt = (host: string, by = server) => by.seen.filter(({ headers }) => headers.host?.startsWith(`${host}:`));
const redirectTo = (location: (seen: Seen) => string, status = 307): void => {
  respond = (seen, response) => {
    if (seen.headers.host?.startsWith('api.test:') && !seen.path.startsWith('/landed'))
      response.writeHead(status, { location: location(seen) }).end();
    else response.end('landed');
  };
};

describe('a redirect whose address contains a secret', () => {
  const repeats: readonly (readonly [string, string, (seen: Seen) => string])[] = [
    ['its query', `{ query: { k: ${key} } }`, ({ path }) => at('thief.test', path)],
    [
      'its query, with a prefix',
      "{ query: { k: ctx.secrets.ref('API_KEY', { prefix: 'Bearer ' }) } }",
      ({ path }) => at('thief.test', path),
    ],
    [
      'a header, in the path',
      `{ headers: { 'x-key': ${key} } }`,
      ({ headers }) => at('thief.test', `/${encodeURIComponent(String(headers['x-key']))}`),
    ],
    [
      'a header, as it is',
      `{ headers: { 'x-key': ${key} } }`,
      ({ headers }) => `http://thief.test:${server.port}/?a=${headers['x-key']}`,
    ],
    [
      'a header, in base64',
      `{ headers: { 'x-key': ${key} } }`,
      ({ headers }) => at('thief.test', `/${Buffer.from(`a${headers['x-key']}`).toString('base64url')}`),
    ],
    [
      'Basic credentials',
      "{ headers: { authorization: ctx.secrets.ref('API_KEY', { basic: { user: 'me' } }) } }",
      ({ headers }) => at('thief.test', `/?a=${encodeURIComponent(String(headers.authorization))}`),
    ],
    [
      'its body',
      `{ method: 'POST', body: { k: ${key} } }`,
      ({ body }) => at('thief.test', `/?b=${encodeURIComponent(body)}`),
    ],
    [
      'its path, percent-encoded twice',
      `{ headers: { 'x-key': ${key} } }`,
      () => at('thief.test', `/${encodeURIComponent(encodeURIComponent(value))}`),
    ],
    ['its query, from a host in lower case', `{ query: { k: ${key} } }`, ({ path }) => at('THIEF.test', path)],
  ];

  it.each(repeats)('is not followed to a host that is on no list: %s', async (_, options, location) => {
    redirectTo(location);
    const refused = await fetched(at('api.test', '/away'), options);
    expect(refused.code).toBe('secret-host');
    expect(refused.message).toContain('API_KEY');
    expect(refused.message).not.toContain(value);
    expect(server.seen).toHaveLength(1);
  });

  it('is not followed through a host that may have it to another', async () => {
    respond = ({ path, headers }, response) => {
      if (headers.host?.startsWith('thief')) response.end('landed');
      else
        response
          .writeHead(307, {
            location: headers.host?.startsWith('eu.') ? at('thief.test', path) : at('eu.api.test', path),
          })
          .end();
    };
    expect((await fetched(at('api.test', '/away'), `{ query: { k: ${key} } }`)).code).toBe('secret-host');
    expect(server.seen).toHaveLength(2);
    expect(seenAt('thief.test')).toEqual([]);
  });

  it('is followed on the same host, and to another that may have the secret', async () => {
    redirectTo(({ path }) => at('api.test', `/landed${path}`));
    expect(await fetched(at('api.test', '/away'), `{ query: { k: ${key} } }`)).toBe('landed');
    redirectTo(({ path }) => at('eu.api.test', path));
    expect(await fetched(at('api.test', '/away'), `{ query: { k: ${key} } }`)).toBe('landed');
    expect(seenAt('eu.api.test')[0]?.path).toContain(encodeURIComponent(value));
  });

  it('is followed anywhere if its address contains none', async () => {
    redirectTo(() => at('other.test', '/plain?a=b'));
    expect(await fetched(at('api.test', '/away'), `{ query: { k: ${key} } }`)).toBe('landed');
    expect(JSON.stringify(seenAt('other.test'))).not.toContain(encodeURIComponent(value));
  });

  it('is the answer, with the value hidden, if code follows by itself', async () => {
    redirectTo(({ path }) => at('thief.test', path));
    const shown = await run(
      `(await ctx.fetch('${at('api.test', '/away')}', { redirect: 'manual', query: { k: ${key} } })).headers.get('location')`,
    );
    expect(shown).toBe(at('thief.test', '/away?k=***'));
  });

  it.each([
    ['query', { query: { k: '{{secret:API_KEY}}' } }, ({ path }: Seen) => path],
    ['path, in base64', { headers: { a: 'Bearer {{secret:API_KEY}}' } }, () => `/${base64}`],
    [
      'a header',
      { headers: { a: '{{secret:API_KEY}}' } },
      ({ headers }: Seen) => `/?a=${encodeURIComponent(String(headers['a']))}`,
    ],
    [
      'a body',
      { method: 'POST', body: { k: '{{secret:API_KEY}}' } },
      ({ body }: Seen) => `/?b=${encodeURIComponent(body)}`,
    ],
  ])("is not followed by a flow's step either: %s", async (_, settings, path) => {
    redirectTo((seen) => at('thief.test', path(seen)));
    const id = await activeFlow(app, [
      { id: 'ask', kind: 'http_request', settings: { url: at('api.test', '/away'), ...settings } },
    ]);
    await approved(app, await app.call('flows/setFlowSecrets', { id, secrets: [{ name: 'API_KEY', hosts }] }));
    const { status, error } = await ranFlow(app, id);
    expect([status, error]).toEqual(['error', expect.stringContaining('its URL contains the secret API_KEY')]);
    expect(server.seen).toHaveLength(1);
  });
});

describe('a secret', () => {
  it('is sent over https to the usual port of a public host, but not over http', async () => {
    const refused = await fetched('http://public.test/', `{ headers: { a: ${key} } }`);
    expect(refused).toEqual({ code: 'secret-host', message: expect.stringContaining('over https only') });
  });

  it('is sent to another port of a public host only if the lists name it', async () => {
    const refused = await fetched('https://public.test:8443/', `{ headers: { a: ${key} } }`);
    expect(refused).toEqual({ code: 'secret-host', message: expect.stringContaining('public.test:8443') });
  });

  it('is sent over http and to any port of a host that the operator permitted, unless the lists name another port', async () => {
    await fetched(at('api.test'), `{ headers: { a: ${key} } }`);
    expect(server.seen[0]?.headers['a']).toBe(value);
    const ported = { name: 'PORTED', value, allowedHosts: ['port.test:8443'] };
    await done(app, 'automations/setEnvVar', ported);
    const refused = await run(`await ctx.fetch('${at('port.test')}', { headers: { a: ctx.secrets.ref('PORTED') } })`, [
      { name: 'PORTED', hosts: ['port.test:8443'] },
    ]);
    expect(refused).toEqual({ code: 'secret-host', message: expect.stringContaining(`port.test:${server.port}`) });
    expect(server.seen).toHaveLength(1);
  });

  it('is not sent on from https to http', async () => {
    respond = (_, response) => response.writeHead(307, { location: at('api.test', '/landed') }).end();
    const refused = await fetched(secure.url('api.test', '/', 'https'), `{ headers: { a: ${key} } }`);
    expect([refused.code, secure.seen.length, server.seen.length]).toEqual(['fetch-redirect', 1, 0]);
  });

  it('is not sent on to a public address over http by a redirect', async () => {
    respond = (_, response) => response.writeHead(307, { location: 'http://public.test/' }).end();
    const refused = await fetched(at('api.test'), `{ headers: { a: ${key} } }`);
    expect(refused).toEqual({ code: 'secret-host', message: expect.stringContaining('over https only') });
  });

  it('is filled in for the literal of an IPv6 address', async () => {
    await fetched(six.url('[::1]'), `{ headers: { a: ${key} } }`);
    expect(six.seen[0]?.headers['a']).toBe(value);
  });

  it('leaves the other bytes of a body unchanged', async () => {
    respond = (seen, response) => {
      response.end(String(seen.headers['content-length']));
    };
    expect(
      await fetched(
        at('api.test'),
        `{ method: 'POST', headers: { a: ${key} }, body: new Uint8Array([0, 255, 128, 65]) }`,
      ),
    ).toBe('4');
  });
});

describe('an answer to a request with a secret', () => {
  const echo = (status: number, headers: Record<string, string>, body: (text: string) => Buffer): void => {
    respond = (seen, response) =>
      response
        .writeHead(status, headers)
        .end(
          body(
            `echo ${seen.headers['a']} ${seen.headers['accept-encoding']} ${seen.headers['range']} ${seen.headers['if-range']}`,
          ),
        );
  };

  it('is requested in a searchable encoding, whatever the code requests', async () => {
    echo(200, {}, Buffer.from);
    const options = `{ headers: { a: ${key}, 'Accept-Encoding': 'zstd', Range: 'bytes=0-7', 'If-Range': 'x' } }`;
    expect(await fetched(at('api.test'), options)).toBe('echo *** gzip, br undefined undefined');
    await fetched(at('other.test'), "{ headers: { 'Accept-Encoding': 'zstd', Range: 'bytes=0-7' } }");
    expect(server.seen[1]?.headers).toMatchObject({ 'accept-encoding': 'zstd', range: 'bytes=0-7' });
    await fetched(at('api.test'), "{ headers: { Range: 'bytes=0-7' } }");
    expect(server.seen[2]?.headers['range']).toBeUndefined();
  });

  it.each<[string, number, Record<string, string>, (text: string) => Buffer]>([
    ['gzip twice', 200, { 'content-encoding': 'gzip, gzip' }, (text) => gzipSync(gzipSync(text))],
    ['a coding that is not known', 200, { 'content-encoding': 'own' }, Buffer.from],
    ['a piece of what is compressed', 206, { 'content-encoding': 'gzip' }, gzipSync],
  ])('is not returned if it could not be decoded: %s', async (_, status, headers, body) => {
    echo(status, headers, body);
    const refused = await run(`(await ctx.fetch('${at('api.test')}', { headers: { a: ${key} } })).status`);
    expect(refused).toEqual({ code: 'fetch-protocol', message: expect.stringContaining('searched for secrets') });
  });

  it('is returned unchanged to a request without a secret', async () => {
    echo(200, { 'content-encoding': 'gzip, gzip' }, (text) => gzipSync(gzipSync(text)));
    expect(await run(`(await ctx.fetch('${at('other.test')}')).status`)).toBe(200);
  });
});
