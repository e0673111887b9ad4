import { describe, expect, it } from '@jest/globals';
import type { Json } from '../kernel/json/json.js';
import { makeSecretRef } from '../sandbox/guest/secret-refs.js';
import { fillMarkers } from './fill-markers.js';
import type { GrantedSecret } from './granted-secret.js';
import type { MarkedRequest } from './marked-request.js';

const seal = '7f3kQ2mZx81LbV0tYw9RsA4c';
const otherSeal = 'Zx81LbV0tYw9RsA4c7f3kQ2m';

function granted(name: string, more: Partial<GrantedSecret> = {}): readonly [string, GrantedSecret] {
  const hosts = ['api.example.com'];
  return [name, { name, value: `value-of-${name}`, hosts, allowedHosts: hosts, ...more }];
}

const secrets = new Map([
  granted('API_KEY'),
  granted('WIDE', { hosts: ['*.example.com', 'other.test'], allowedHosts: ['*.example.com', 'third.test'] }),
  granted('OPEN', { allowedHosts: 'any' }),
  granted('SIGNING', { hosts: [], allowedHosts: 'any' }),
  granted('NOWHERE', { allowedHosts: [] }),
  granted('DELETED', { value: undefined }),
  granted('BROKEN', { value: 'one\r\nX-Evil: two' }),
]);

const refIn = makeSecretRef(seal);
const ref = (name: string, options?: object): Json => JSON.parse(JSON.stringify(refIn(name, options)));
const fill = (request: Partial<MarkedRequest>) =>
  fillMarkers({ url: 'https://api.example.com/v1', ...request }, { seal, secrets });

function filled(request: Partial<MarkedRequest>) {
  const answer = fill(request);
  if (!answer.ok) throw new Error(`refused: ${answer.sentence}`);
  return answer.request;
}

function refused(request: Partial<MarkedRequest>) {
  const answer = fill(request);
  if (answer.ok) throw new Error('filled');
  return answer;
}

describe('fillMarkers', () => {
  it('fills a header, a query member, one in a list there, and a field at any depth of a body', () => {
    const request = {
      method: 'POST',
      headers: { 'X-Key': ref('API_KEY'), Accept: 'text/plain' },
      query: { key: ref('API_KEY'), keys: ['a', ref('API_KEY')], page: 2 },
      body: { a: [{ b: ref('API_KEY') }, 7, null, true], c: 'text' },
    };
    expect(fill(request)).toEqual({
      ok: true,
      filled: ['API_KEY'],
      request: {
        url: 'https://api.example.com/v1',
        method: 'POST',
        headers: { 'X-Key': 'value-of-API_KEY', Accept: 'text/plain' },
        query: { key: 'value-of-API_KEY', keys: ['a', 'value-of-API_KEY'], page: 2 },
        body: { a: [{ b: 'value-of-API_KEY' }, 7, null, true], c: 'text' },
      },
    });
  });

  it('names each filled secret once', () => {
    const answer = fill({ headers: { a: ref('API_KEY'), b: ref('OPEN') }, body: [ref('API_KEY')] });
    expect(answer).toMatchObject({ ok: true, filled: ['API_KEY', 'OPEN'] });
  });

  it('adds a prefix and a suffix to the value', () => {
    const { headers } = filled({ headers: { Authorization: ref('API_KEY', { prefix: 'Bearer ', suffix: '!' }) } });
    expect(headers).toEqual({ Authorization: 'Bearer value-of-API_KEY!' });
  });

  it('writes Basic credentials with the secret as the password, or as the user', () => {
    const { headers } = filled({
      headers: { a: ref('API_KEY', { basic: { user: 'ada' } }), b: ref('API_KEY', { basic: { password: '' } }) },
    });
    expect(headers).toEqual({
      a: `Basic ${btoa('ada:value-of-API_KEY')}`,
      b: `Basic ${btoa('value-of-API_KEY:')}`,
    });
  });

  it('fills a marker that guest code built by itself with the seal of its run', () => {
    expect(filled({ body: { a: { $secret: 'API_KEY', seal } } }).body).toEqual({ a: 'value-of-API_KEY' });
  });

  it('does not change {{secret:NAME}} and all other text', () => {
    const request = { url: 'https://api.example.com/{{secret:API_KEY}}', body: 'Bearer {{secret:API_KEY}}' };
    expect(filled(request)).toEqual(request);
  });

  it('does not change data that only resembles a marker', () => {
    const body = [
      { $secret: 'API_KEY' },
      { $secret: 'API_KEY', seal: 'x' },
      { $secret: 1, seal: otherSeal },
      { seal: 's' },
    ];
    expect(filled({ body }).body).toEqual(body);
    const data = { $secret: 'API_KEY', seal: otherSeal, more: 1 };
    expect(filled({ body: [data] }).body).toEqual([data]);
  });

  it('keeps a member called __proto__ as a member', () => {
    const body = JSON.parse(`{"__proto__": ${JSON.stringify(ref('API_KEY'))}}`);
    expect(JSON.stringify(filled({ body }).body)).toBe('{"__proto__":"value-of-API_KEY"}');
  });

  it('reads the host of the address like a URL parser, with any port and case', () => {
    const url = 'HTTPS://API.EXAMPLE.COM:8443/v1';
    expect(filled({ url, headers: { a: ref('API_KEY') } }).headers).toEqual({ a: 'value-of-API_KEY' });
  });

  it('fills for a redirect by the address of that hop only', () => {
    const request = { headers: { a: ref('WIDE') } };
    expect(fill({ ...request, url: 'https://a.example.com/' }).ok).toBe(true);
    expect(fill({ ...request, url: 'https://b.example.com/next' }).ok).toBe(true);
    expect(refused({ ...request, url: 'https://example.com/' })).toMatchObject({ secret: 'WIDE', host: 'example.com' });
  });
});

describe('fillMarkers refuses', () => {
  it.each([
    ['API_KEY', 'https://evil.test/', "the function's list does not name this host"],
    ['API_KEY', 'https://api.example.com@evil.test/', "the function's list does not name this host"],
    ['API_KEY', 'https://api.example.com.evil.test/', "the function's list does not name this host"],
    ['API_KEY', 'https://api.example.com./', "the function's list does not name this host"],
    ['WIDE', 'https://other.test/', "the secret's own allowed hosts do not name this host"],
    ['WIDE', 'https://third.test/', "the function's list does not name this host"],
    ['NOWHERE', 'https://api.example.com/', "the secret's own allowed hosts do not name this host"],
    ['SIGNING', 'https://api.example.com/', 'it can only check signatures'],
  ])('%s for %s, because %s', (secret, url, why) => {
    const refusal = refused({ url, headers: { a: ref(secret) } });
    const host = new URL(url).hostname;
    expect(refusal).toMatchObject({ problem: 'host', secret, host });
    expect(refusal.sentence).toContain(`The secret ${secret} was not sent to ${host}: `);
    expect(refusal.sentence).toContain(why);
  });

  it('a secret that is not on the list', () => {
    expect(refused({ body: { a: ref('STRANGER') } })).toMatchObject({ problem: 'not-granted', secret: 'STRANGER' });
  });

  it('a secret that has been deleted', () => {
    expect(refused({ body: { a: ref('DELETED') } })).toMatchObject({ problem: 'no-value', secret: 'DELETED' });
  });

  it('all of a request if one of its markers may not be filled', () => {
    expect(refused({ headers: { a: ref('API_KEY'), b: ref('STRANGER') } }).problem).toBe('not-granted');
  });

  it('a marker of another run', () => {
    const marker = { $secret: 'API_KEY', seal: otherSeal };
    expect(refused({ headers: { a: marker } })).toMatchObject({ problem: 'other-run' });
  });

  it.each([
    ['the whole body', { body: ref('API_KEY') }],
    ['the method', { method: ref('API_KEY') }],
    ['the timeout', { timeout: { ms: ref('API_KEY') } }],
    ['the headers', { headers: ref('API_KEY') }],
    ['the headers', { headers: [['a', ref('API_KEY')]] }],
    ['a part of a value in the headers', { headers: { a: ['b', ref('API_KEY')] } }],
    ['a part of a value in the query', { query: { a: { b: ref('API_KEY') } } }],
    ['a part of a value in the query', { query: { a: [[ref('API_KEY')]] } }],
  ])('a marker as %s', (what, request) => {
    const refusal = refused(request as Partial<MarkedRequest>);
    expect(refusal).toMatchObject({ problem: 'place', secret: 'API_KEY' });
    expect(refusal.sentence).toContain(`cannot be used in ${what}: `);
  });

  const text = `${refIn('API_KEY')}`;
  it.each<[string, Partial<MarkedRequest>]>([
    ['the url', { url: `https://${text}.example.com/` }],
    ['the url', { url: `https://api.example.com/?key=${encodeURIComponent(text)}` }],
    ['the method', { method: text }],
    ['a header', { headers: { Authorization: `Bearer ${text}` } }],
    ['a header', { headers: { Authorization: `Basic ${btoa(`ada:${text}`)}` } }],
    ['a header', { headers: { Authorization: `Basic ${btoa(`eve:x${text}`)}` } }],
    ['a header', { headers: { Authorization: `Basic ${btoa(`adam:${text}xyz`)}` } }],
    ['a name in the headers', { headers: { [text]: 'a' } }],
    ['the query', { query: { a: text } }],
    ['a name in the query', { query: { [text]: 'a' } }],
    ['the body', { body: JSON.stringify({ a: refIn('API_KEY') }) }],
    ['the body', { body: new URLSearchParams({ a: text }).toString() }],
    ['the body', { body: { [text]: 1 } }],
    ['the body', { body: { a: { seal } } }],
  ])('a marker inside a text in %s', (what, request) => {
    const refusal = refused(request);
    expect(refusal.problem).toBe('in-text');
    expect(refusal.sentence).toContain(`part of a text in ${what}, `);
    expect(refusal.sentence).toContain("{ prefix: 'Bearer ' }");
  });

  it.each([
    [{ $secret: 'api_key', seal }],
    [{ $secret: 'API_KEY', seal, prefix: 1 }],
    [{ $secret: 'API_KEY', seal, suffix: null }],
    [{ $secret: 'API_KEY', seal, encoding: 'hex' }],
    [{ $secret: 'API_KEY', seal, basic: 'ada' }],
    [{ $secret: 'API_KEY', seal, basic: {} }],
    [{ $secret: 'API_KEY', seal, basic: { user: 'a', password: 'b' } }],
    [{ $secret: 'API_KEY', seal, basic: { user: 'a:b' } }],
    [{ $secret: 'API_KEY', seal, basic: { user: 'a' }, prefix: 'b' }],
  ])('an invalid marker: %j', (marker) => {
    expect(refused({ headers: { a: marker } }).problem).toBe('malformed');
  });

  it.each([
    ['the value has one', ref('BROKEN')],
    ['its prefix has one', ref('API_KEY', { prefix: 'a\nb' })],
    ['its suffix has a NUL', ref('API_KEY', { suffix: '\0' })],
    ['its suffix has a character beyond Latin-1', ref('API_KEY', { suffix: '→' })],
  ])('a header with a line break or the like: %s', (_, marker) => {
    const refusal = refused({ headers: { 'X-Key': marker } });
    expect(refusal.problem).toBe('unfit-value');
    expect(refusal.sentence).toContain('the header X-Key');
    expect(JSON.stringify(refusal)).not.toContain('X-Evil');
  });

  it('but accepts it in a query or a body, where every character can be encoded', () => {
    const request = { query: { a: ref('BROKEN') }, body: { a: ref('BROKEN') } };
    expect(filled(request).body).toEqual({ a: 'one\r\nX-Evil: two' });
  });

  it('a header Host beside a secret, which would name another receiver at the same address', () => {
    expect(refused({ headers: { hOST: 'evil.test' }, body: { a: ref('API_KEY') } }).problem).toBe('host-header');
    expect(fill({ headers: { hOST: 'evil.test' } }).ok).toBe(true);
  });

  it.each(['', 'api.example.com', 'ftp://api.example.com/', 'file:///etc/passwd', 'https://'])(
    'an invalid address: %j',
    (url) => {
      expect(refused({ url, body: { a: ref('API_KEY') } }).problem).toBe('address');
    },
  );
});
