// Engines: one process, and several.
import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { EgressScene } from '../../support/egress/egress-scene.js';
import type { TestServer } from '../../support/egress/test-server.js';
import { eventsOf } from '../../support/people.js';
import { sharedOutside } from '../../support/shared-outside.js';
import { storedFiles } from '../../support/stores/stored-files.js';

const value = 'sk_live_S3cr3t/Value+With=Signs';
let app: TestApp;
const scene = new EgressScene();
let server: TestServer;
let answer: (path: string) => { status?: number; headers?: Record<string, string>; body?: string | Buffer };
beforeAll(async () => {
  app = await sharedOutside();
  await app.call('workspace/updateSettings', { versions: false });
  for (const [name, allowedHosts] of [
    ['API_KEY', ['api.test', '*.example.test']],
    ['SIGNING', []],
  ] as const) {
    const set = await app.call('automations/setEnvVar', { name, value, allowedHosts });
    expect(set.status).toBe(200);
  }
});
afterAll(() => app.close());
beforeEach(async () => {
  answer = () => ({ body: '{"ok":true}', headers: { 'content-type': 'application/json' } });
  server = await scene.http((seen, response) => {
    const { status = 200, headers = {}, body = '' } = answer(seen.path);
    response.writeHead(status, headers).end(body);
  });
});
afterEach(() => scene.close());

let made = 0;
/** A function that has a person's approval to use these secrets. */
async function withSecrets(code: string, secrets: readonly object[] = [{ name: 'API_KEY', hosts: ['api.test'] }]) {
  const fn = (await app.call('automations/createFunction', { name: `fetch ${made++}`, code })).body;
  const { body } = await app.call('automations/setFunctionSecrets', { id: fn.id, secrets });
  if (body.pendingChange) {
    const { id, hash } = body.pendingChange;
    expect((await app.call('approvals/approvePendingChange', { id, hash })).body.status).toBe('applied');
  }
  return fn.id as string;
}
const invoke = (id: string, event: object = {}) => app.call('automations/invokeFunction', { id, event });
const at = (host: string, path = '/') => `http://${host}:${server.port}${path}`;
const run = async (code: string, secrets?: readonly object[]) =>
  invoke(
    await withSecrets(
      `const at = (host, path = '/') => 'http://' + host + ':${server.port}' + path;\n${code}`,
      secrets,
    ),
  );
const attempt = async (call: string, secrets?: readonly object[]) =>
  (
    await run(
      `try { await ${call}; return 'sent' } catch (error) { return [error.status, error.code, error.message] }`,
      secrets,
    )
  ).body.result;

describe('ctx.fetch', () => {
  it('requests a public address and returns the answer like fetch', async () => {
    answer = () => ({ status: 201, body: '{"n":1}', headers: { 'x-a': 'b', 'content-type': 'application/json' } });
    const { body } = await run(`
      const response = await ctx.fetch(at('api.test', '/path'), { method: 'post', query: { q: 'ä b' }, headers: { 'X-Own': '1' }, body: { a: [1] } });
      return [response.ok, response.status, response.headers.get('X-A'), await response.json(), response.url];`);
    expect(body.result).toEqual([true, 201, 'b', { n: 1 }, at('api.test', '/path?q=%C3%A4%20b')]);
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      path: '/path?q=%C3%A4%20b',
      body: '{"a":[1]}',
      headers: { 'x-own': '1', 'content-type': 'application/json' },
    });
  });

  it('sends text, forms and bytes, and returns bytes', async () => {
    answer = () => ({ body: Buffer.from([0, 255, 1, 254]) });
    const { body } = await run(`
      const send = (body) => ctx.fetch(at('api.test'), { method: 'POST', body });
      await send('plain');
      await send(new URLSearchParams({ a: 'b c' }));
      return Array.from(await (await send(new Uint8Array([104, 105]))).bytes());`);
    expect(body.result).toEqual([0, 255, 1, 254]);
    expect(server.seen.map((seen) => [seen.body, seen.headers['content-type']])).toEqual([
      ['plain', 'text/plain; charset=utf-8'],
      ['a=b+c', 'application/x-www-form-urlencoded'],
      ['hi', undefined],
    ]);
  });

  it.each([
    ["ctx.fetch('http://10.0.0.1/')", 'fetch-address'],
    ["ctx.fetch('http://2130706433.nip/')", 'fetch-dns'],
    ["ctx.fetch('http://0x7f.1:1/', { method: 'CONNECT' })", 'fetch-method'],
    ["ctx.fetch('http://[::ffff:10.0.0.1]/')", 'fetch-address'],
    ["ctx.fetch('http://169.254.169.254/latest/meta-data')", 'fetch-address'],
    ["ctx.fetch('file:///etc/passwd')", 'fetch-url'],
    ["ctx.fetch('http://user:pw@api.test/')", 'fetch-url'],
    ["ctx.fetch('http://api.test/', { proxy: 1 })", 'invalid-input'],
    ["ctx.fetch('http://api.test/', { headers: { a: {} } })", 'invalid-input'],
    ["ctx.fetch('http://api.test/', { redirect: 'error' })", 'invalid-input'],
  ])('%s is refused with an error message and nothing is sent', async (call, code) => {
    const [, told, message] = await attempt(call);
    expect([told, message.endsWith('.')]).toEqual([code, true]);
    expect(server.seen).toEqual([]);
  });

  it('an answer that is too large, and a missing server, cause an error message', async () => {
    answer = () => ({ body: 'x'.repeat(4 * 1024 * 1024) });
    expect((await attempt("ctx.fetch(at('api.test'))"))[1]).toBe('fetch-too-large');
    expect((await attempt("ctx.fetch('http://api.test:1/')"))[1]).toBe('fetch-connection-refused');
  });
});

describe('ctx.secrets.ref', () => {
  it('is filled in as a header, a query value and within a body, for a listed host', async () => {
    await run(`
      const key = ctx.secrets.ref('API_KEY');
      await ctx.fetch(at('api.test'), { method: 'POST', headers: { authorization: ctx.secrets.ref('API_KEY', { prefix: 'Bearer ' }), 'x-key': key }, query: { key }, body: { deep: [{ key }] } });
      await ctx.fetch(at('api.test'), { method: 'POST', headers: { authorization: ctx.secrets.ref('API_KEY', { basic: { user: 'me' } }) } });`);
    const [first, second] = server.seen;
    expect(first?.headers).toMatchObject({ authorization: `Bearer ${value}`, 'x-key': value });
    expect(first?.path).toBe(`/?key=${encodeURIComponent(value)}`);
    expect(JSON.parse(first?.body ?? '')).toEqual({ deep: [{ key: value }] });
    expect(second?.headers.authorization).toBe(`Basic ${Buffer.from(`me:${value}`).toString('base64')}`);
  });

  it.each([
    ["ctx.fetch(at('other.test'), { headers: { a: ctx.secrets.ref('API_KEY') } })", 'secret-host'],
    ["ctx.fetch(at('sub.api.test'), { headers: { a: ctx.secrets.ref('API_KEY') } })", 'secret-host'],
    ["ctx.fetch(at('api.test'), { headers: { a: ctx.secrets.ref('OTHER') } })", 'secret-not-granted'],
    ["ctx.fetch(at('api.test'), { headers: { a: 'Bearer ' + ctx.secrets.ref('API_KEY') } })", 'secret-in-text'],
    [
      "ctx.fetch(at('api.test'), { method: 'POST', body: JSON.stringify({ a: ctx.secrets.ref('API_KEY') }) })",
      'secret-in-text',
    ],
    ["ctx.fetch(at('api.test', '/' + ctx.secrets.ref('API_KEY')))", 'secret-in-text'],
    ["ctx.fetch(at('api.test'), { method: ctx.secrets.ref('API_KEY') })", 'secret-place'],
  ])('%s sends nothing and explains why', async (call, code) => {
    const [status, told, message] = await attempt(call);
    expect([status, told]).toEqual([/host|granted/.test(code) ? 403 : 400, code]);
    expect(message).not.toContain(value);
    expect(server.seen).toEqual([]);
  });

  it('text that looks like a placeholder is never filled', async () => {
    await run("await ctx.fetch(at('api.test'), { headers: { a: '{{secret:API_KEY}}' } })");
    expect(server.seen[0]?.headers['a']).toBe('{{secret:API_KEY}}');
  });

  it('a marker that code makes up, or keeps from another run, has no effect', async () => {
    const id = await withSecrets(
      `await ctx.fetch('http://api.test:${server.port}/', { method: 'POST', body: { made: { $secret: 'API_KEY', seal: 'x'.repeat(36) }, kept: params.kept ?? null } }).catch(() => {});
       return ctx.secrets.ref('API_KEY');`,
    );
    const kept = (await invoke(id)).body.result;
    await invoke(id, { kept });
    expect(JSON.stringify(server.seen)).not.toContain(value);
  });

  it("is not sent to a redirect's host that the list does not name", async () => {
    answer = (path) => (path === '/away' ? { status: 307, headers: { location: at('thief.test', '/taken') } } : {});
    await run(
      "await ctx.fetch(at('api.test', '/away'), { method: 'POST', headers: { authorization: ctx.secrets.ref('API_KEY') }, body: { key: ctx.secrets.ref('API_KEY') } })",
    );
    const [first, second] = server.seen;
    expect(first?.headers.authorization).toBe(value);
    expect(second?.path).toBe('/taken');
    expect(JSON.stringify(second)).not.toContain(value);
  });

  it('never comes back: it is hidden in answers of servers, logs, errors and results', async () => {
    answer = () => ({
      body: JSON.stringify({ echo: value, coded: Buffer.from(value).toString('base64') }),
      headers: { 'x-echo': encodeURIComponent(value) },
    });
    const { body } = await run(`
      const response = await ctx.fetch(at('api.test'), { headers: { a: ctx.secrets.ref('API_KEY') } });
      const seen = [await response.text(), response.headers.get('x-echo')];
      console.log('seen', seen);
      return seen;`);
    const text = JSON.stringify(body);
    for (const form of [
      value,
      encodeURIComponent(value),
      Buffer.from(value).toString('base64'),
      JSON.stringify(value).slice(1, -1),
    ]) {
      expect(text).not.toContain(form);
    }
    expect(text).toContain('***');
  });

  it("is no longer filled in after it was removed from the function's list", async () => {
    const id = await withSecrets(
      `await ctx.fetch('http://api.test:${server.port}/', { headers: { a: ctx.secrets.ref('API_KEY') } })`,
    );
    expect((await invoke(id)).status).toBe(200);
    await app.call('automations/setFunctionSecrets', { id, secrets: [] });
    expect((await invoke(id)).body.detail).toContain("not on this function's list");
    expect(server.seen).toHaveLength(1);
  });
});

describe('ctx.secrets.verifyHmac', () => {
  const sign = (data: string) => createHmac('sha256', value).update(data).digest('hex');

  it('reports whether a signature is right, for a secret without any host', async () => {
    const id = await withSecrets("return ctx.secrets.verifyHmac('SIGNING', params.data, params.signature)", [
      { name: 'SIGNING' },
    ]);
    const verify = async (data: string, signature: string) => (await invoke(id, { data, signature })).body.result;
    expect(await verify('payload', sign('payload'))).toBe(true);
    expect(await verify('payload', `sha256=${sign('payload')}`)).toBe(true);
    expect(await verify('other', sign('payload'))).toBe(false);
    expect(await verify('payload', 'nonsense')).toBe(false);
  });

  it('is one of the calls that a run may make', async () => {
    const id = await withSecrets(
      `const used = [ctx.limits.databaseCalls.used];
       await ctx.secrets.verifyHmac('SIGNING', 'a', 'b');
       used.push(ctx.limits.databaseCalls.used);
       const all = await Promise.allSettled(Array.from({ length: 100 }, () => ctx.secrets.verifyHmac('SIGNING', 'a', params.signature)));
       return [used, all.flatMap(({ reason }) => reason ? [reason.code] : [])];`,
      [{ name: 'SIGNING' }],
    );
    expect((await invoke(id, { signature: sign('a') })).body.result).toEqual([[0, 1], ['call-limit']]);
  });

  it('refuses a secret that is not on the list', async () => {
    expect((await attempt("ctx.secrets.verifyHmac('SIGNING', 'a', 'b')"))[1]).toBe('not-granted');
  });
});

describe('the value of a secret', () => {
  it('is in no event, file of the data directory, answer or metric, after all of this', async () => {
    const forms = [
      value,
      Buffer.from(value).toString('base64'),
      encodeURIComponent(value),
      JSON.stringify(value).slice(1, -1),
    ];
    const told = [
      (await app.send('GET', '/metrics')).body,
      (await app.call('audit/listEvents', { limit: 200 })).body,
      (await app.call('automations/listEnvVars')).body,
      await eventsOf(app),
    ].map((answer) => Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer)));
    const files = storedFiles(app.dataDir).map(({ bytes }) => bytes);
    // Positive control: the name of the secret is there, so the search works.
    expect([...told, ...files].some((bytes) => bytes.includes('API_KEY'))).toBe(true);
    const found = forms.filter((form) => [...told, ...files].some((bytes) => bytes.includes(form)));
    expect(found).toEqual([]);
  });
});

describe('setFunctionSecrets', () => {
  const set = (id: string, secrets: readonly object[], key?: string) =>
    app.call('automations/setFunctionSecrets', { id, secrets }, key);
  const fresh = async () =>
    (await app.call('automations/createFunction', { name: `secrets ${made++}`, code: 'return 1' })).body.id;

  it('makes additions of secrets, hosts and key formats wait for a person; removals are immediate, with an Undo', async () => {
    const id = await fresh();
    const first = await set(id, [{ name: 'API_KEY', hosts: ['api.test', 'a.example.test'] }]);
    expect([first.status, first.body.secrets, first.body.pendingChange.kind]).toEqual([202, [], 'function-secrets']);
    await app.call('approvals/approvePendingChange', {
      id: first.body.pendingChange.id,
      hash: first.body.pendingChange.hash,
    });
    const fewer = await set(id, [{ name: 'API_KEY', hosts: ['api.test'] }]);
    expect([fewer.status, fewer.body.secrets]).toEqual([200, [{ name: 'API_KEY', hosts: ['api.test'] }]]);
    expect((await app.call('approvals/undoNotice', { id: fewer.body.undo.id })).status).toBe(200);
    const formatted = await set(id, [
      { name: 'API_KEY', hosts: ['api.test', 'a.example.test'], keyFormat: { encoding: 'base64' } },
    ]);
    expect([formatted.status, formatted.body.secrets[0].keyFormat]).toEqual([202, undefined]);
  });

  it("never permits a secret's use beyond its own hosts", async () => {
    const { status, body } = await set(await fresh(), [{ name: 'API_KEY', hosts: ['evil.test'] }]);
    expect([status, body.errors[0].path]).toEqual([400, 'secrets[0].hosts']);
  });

  it.each(['https://api.test', 'api.test:0', 'api.test/x', 'a.*.test', '*.test', 'a b'])(
    'refuses the host %j',
    async (host) => {
      const { status, body } = await set(await fresh(), [{ name: 'API_KEY', hosts: [host] }]);
      expect([status, body.errors[0].path]).toEqual([400, 'secrets[0].hosts[0]']);
    },
  );

  it('ignores unknown names, and reports them', async () => {
    const { status, body } = await set(await fresh(), [{ name: 'NOBODYS', hosts: [] }]);
    expect([status, body.ignored, body.secrets]).toEqual([200, ['NOBODYS'], []]);
  });

  it('is refused to an agent and an automation', async () => {
    const id = await fresh();
    const agent = (await app.call('workspace/addAgent', { name: 'Bo' })).body.id;
    for (const wanted of [{ kind: 'agent', agentId: agent }, { kind: 'automation' }]) {
      const { key } = (await app.call('workspace/createApiKey', { name: 'k', ...wanted })).body;
      expect((await set(id, [], key)).body.code).toBe('caller-not-allowed');
    }
  });
});
