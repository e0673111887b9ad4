import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../test/support/depth.js';
import type { Json } from '../kernel/json/json.js';
import { fillMarkers } from './fill-markers.js';
import type { GrantedSecret } from './granted-secret.js';
import { Redactor } from './hiding/redactor.js';
import type { MarkedRequest } from './marked-request.js';

const seal = '7f3kQ2mZx81LbV0tYw9RsA4c';
const otherSeal = 'Zx81LbV0tYw9RsA4c7f3kQ2m';
const secrets = new Map(
  (
    [
      ['API_KEY', ['api.example.com'], 'any'],
      ['WIDE', ['*.example.com', 'other.test'], ['*.example.com', 'third.test']],
      ['NOWHERE', ['api.example.com'], []],
      ['SIGNING', [], 'any'],
      ['BROKEN', ['api.example.com'], ['api.example.com']],
    ] as const
  ).map(([name, hosts, allowedHosts]): [string, GrantedSecret] => {
    const value = `value-of-${name}${name === 'BROKEN' ? '\r\n' : ''}`;
    return [name, { name, value, hosts, allowedHosts }];
  }),
);
/** The allowed hosts, written by hand so that they do not repeat the rule under test. */
const mayGo: Readonly<Record<string, readonly string[]>> = {
  API_KEY: ['api.example.com'],
  BROKEN: ['api.example.com'],
  WIDE: ['api.example.com', 'a.example.com'],
};
const hosts = [
  'api.example.com',
  'a.example.com',
  'a.b.example.com',
  'example.com',
  'other.test',
  'third.test',
  'evil.test',
];
const mostly = <T>(often: fc.Arbitrary<T>, seldom: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 15, arbitrary: often }, { weight: 1, arbitrary: seldom });
const host = mostly(fc.constantFrom(...hosts), fc.constantFrom(...hosts.map((one) => one.toUpperCase())));
const url = fc
  .tuple(
    mostly(fc.constantFrom('http', 'https', 'HTTPS'), fc.constant('ftp')),
    mostly(fc.constant(''), fc.constantFrom('api.example.com@', 'a:b@')),
    mostly(fc.constant('api.example.com'), host),
    mostly(fc.constantFrom('', ':80', ':8443'), fc.constant('.')),
    fc.constantFrom('', '/', '/a?b=c#d', '\\@api.example.com'),
  )
  .map(([scheme, user, named, port, path]) => `${scheme}://${user}${named}${port}${path}`);
const marker = fc.record(
  {
    $secret: mostly(fc.constantFrom(...Object.keys(mayGo)), fc.constantFrom(...secrets.keys(), 'STRANGER', 'no name')),
    seal: mostly(fc.constant(seal), fc.constant(otherSeal)),
    prefix: mostly(fc.constantFrom('', 'Bearer '), fc.constant('\r\n')),
  },
  { requiredKeys: ['$secret', 'seal'] },
);
const basic = fc.record({
  $secret: fc.constant('API_KEY'),
  seal: fc.constant(seal),
  basic: fc.constant({ user: 'ada' }),
});
const data = fc.oneof(fc.string(), fc.jsonValue());
const leaf = mostly(
  fc.oneof(marker, basic, data),
  marker.map((one) => JSON.stringify(one)),
) as fc.Arbitrary<Json>;
const name = mostly(fc.constantFrom('Authorization', 'X-Key', 'key'), fc.constant('Host'));
const body = fc.letrec<{ body: Json }>((tie) => ({
  body: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('body'), { maxLength: 2 }),
    fc.dictionary(name, tie('body'), { maxKeys: 2 }),
  ),
})).body;
const request = fc.record(
  {
    url,
    method: mostly(fc.constantFrom<Json>('GET', 'POST'), leaf),
    headers: fc.dictionary(name, mostly(marker as fc.Arbitrary<Json>, leaf), { maxKeys: 2 }),
    query: fc.dictionary(name, fc.oneof(leaf, fc.array(leaf, { maxLength: 2 })), { maxKeys: 2 }),
    body: fc.array(body, { maxLength: 2 }),
  },
  { requiredKeys: ['url'] },
) as fc.Arbitrary<MarkedRequest>;
const redactors = [...secrets.values()].map(({ name, value = '' }) => [name, new Redactor([value])] as const);

describe('fillMarkers, for any request', () => {
  it('property: puts a value into a request only for a host that its secret may be sent to, and into no refusal', () => {
    let [fills, refusals] = [0, 0];
    fc.assert(
      fc.property(request, (asked) => {
        const answer = fillMarkers(asked, { seal, secrets });
        const text = JSON.stringify(answer);
        const host = URL.canParse(asked.url) ? new URL(asked.url).hostname : '';
        const shown = redactors.filter(([, redactor]) => redactor.text(text).hid).map(([secret]) => secret);
        if (!answer.ok) expect(shown).toEqual([]);
        else expect([...answer.filled].sort()).toEqual([...shown].sort());
        for (const secret of shown) expect(mayGo[secret] ?? []).toContain(host);
        if (!answer.ok) refusals += 1;
        else if (answer.filled.length > 0) fills += 1;
      }),
      { numRuns: 3_000 },
    );
    expect(fills).toBeGreaterThan(300);
    expect(refusals).toBeGreaterThan(300);
  });

  it('property: changes nothing but markers in the values of headers, query and body', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const before = JSON.stringify(asked);
        const answer = fillMarkers(asked, { seal, secrets });
        expect(JSON.stringify(asked)).toBe(before);
        if (!answer.ok) return;
        expect([answer.request.url, answer.request['method']]).toEqual([asked.url, asked['method']]);
        expect(namesIn(answer.request)).toEqual(namesIn(asked));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('property: returns the same request if it has no marker', () => {
    fc.assert(
      fc.property(
        fc.record({ url, headers: fc.dictionary(fc.string(), fc.string()), body: fc.jsonValue() }),
        (asked) => {
          const answer = fillMarkers(asked as MarkedRequest, { seal, secrets });
          expect(answer).toEqual({ ok: true, request: asked, filled: [] });
          expect(answer.ok && answer.request).toBe(asked);
        },
      ),
    );
  });
});

function namesIn(node: unknown): unknown {
  if (typeof node !== 'object' || node === null || (node as Record<string, unknown>)['seal'] === seal) return null;
  return Object.entries(node).map(([member, inner]) => [member, namesIn(inner)]);
}
