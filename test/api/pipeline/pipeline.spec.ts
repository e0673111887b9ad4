// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allOperations } from '../../../src/engine/operation/operation.js';
import { fieldsOf } from '../../../src/kernel/field/field.js';
import { startApp, type TestApp } from '../../support/app.js';
import { oneIn } from '../../support/depth.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const json = { 'content-type': 'application/json' };
const asOwner = () => ({ ...json, authorization: `Bearer ${app.ownerKey}` });
const operations = () => allOperations().map(({ name }) => name);

const mistyped = (type: string): unknown => (type === 'string' ? 7 : 'seven');

describe('who calls', () => {
  it('refuses a call without a key, with a wrong one and with another scheme', async () => {
    const none = await app.send('POST', '/api/v1/workspace/getWorkspace', '{}', json);
    expect([none.status, none.body.code]).toEqual([401, 'key-missing']);
    const wrong = await app.call('workspace/getWorkspace', {}, 'csk_wrong');
    expect([wrong.status, wrong.body.code]).toEqual([401, 'key-invalid']);
    const basic = await app.send('POST', '/api/v1/workspace/getWorkspace', '{}', {
      ...json,
      authorization: 'Basic abc',
    });
    expect(basic.status).toBe(401);
    expect(basic.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('answers problem+json with a request id that is also in the header', async () => {
    const { body, headers } = await app.send('POST', '/api/v1/automations/createFunction', '{}', json);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(body).toEqual({
      type: 'urn:problem:key-missing',
      title: 'Not authenticated',
      status: 401,
      detail: expect.any(String),
      code: 'key-missing',
      requestId: headers.get('x-request-id'),
    });
  });
});

describe('what is sent', () => {
  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('answers 405 with Allow to %s on any operation', async (method) => {
    for (const name of oneIn(10, operations())) {
      const { status, headers } = await app.send(method, `/api/v1/${name}`, undefined, asOwner());
      expect([name, status, headers.get('allow')]).toEqual([name, 405, 'POST']);
    }
  });

  it.each([
    ['/api/v1/automations/noSuchThing', 'unknown-operation'],
    ['/api/v1/workspace/createFunction', 'unknown-operation'],
    ['/api/v1/__proto__/constructor', 'unknown-operation'],
    ['/api/v2/automations/createFunction', 'unknown-path'],
    ['/nothing', 'unknown-path'],
  ])('answers 404 to %s', async (path, code) => {
    const { status, body } = await app.send('POST', path, '{}', asOwner());
    expect({ status, code: body.code }).toEqual({ status: 404, code });
  });

  it.each([
    ['a wrong content type', 'text/plain', '{}', 415, 'media-type-not-supported'],
    ['a form', 'application/x-www-form-urlencoded', 'a=1', 415, 'media-type-not-supported'],
    ['malformed JSON', 'application/json', '{"a":', 400, 'invalid-json'],
    ['an empty body', 'application/json', '', 400, 'invalid-json'],
    ['a JSON array', 'application/json', '[]', 400, 'invalid-body'],
    ['a bare string', 'application/json', '"x"', 400, 'invalid-body'],
    ['null', 'application/json', 'null', 400, 'invalid-body'],
    ['bytes that are no UTF-8', 'application/json', new Uint8Array([0x7b, 0xff, 0x7d]), 400, 'invalid-json'],
    ['20 MB', 'application/json', `{"a":"${'x'.repeat(20 * 1024 * 1024)}"}`, 413, 'body-too-large'],
    [
      'a bottomless nest',
      'application/json',
      `{"event":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}`,
      400,
      'invalid-input',
    ],
  ])('answers a clear 4xx to %s', async (_, type, body, status, code) => {
    const answer = await app.send('POST', '/api/v1/automations/invokeFunction', body, {
      ...asOwner(),
      'content-type': type,
    });
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
  });

  it.each([
    ['{"name":"K","value":hush_hush}', "Unexpected token 'h'"],
    ['{"value":"hush_hush" hush}', "Expected ',' or '}' after property value in JSON at position 21"],
    ['hush_hush', "Unexpected token 'h'"],
    ['undefined', 'it cannot be parsed'],
    ['{"value":"hush_hush', 'Unterminated string in JSON at position 19'],
    [`{"value":hush_hush${' '.repeat(200)}}`, "Unexpected token 'h'"],
    ['{"hush":"""hush"}', "Expected ',' or '}' after property value in JSON at position 10"],
    ['["hush" : "hush"]', 'Expected'],
    ['[hush"""", "hush"]', "Unexpected token 'h'"],
  ])('reports the fault in %s without its text, which may be a secret', async (text, cause) => {
    const headers = { ...asOwner(), 'content-type': 'application/json' };
    const { status, body } = await app.send('POST', '/api/v1/automations/listFunctions', text, headers);
    expect([status, body.detail]).toEqual([400, expect.stringContaining(cause)]);
    expect(body.detail).not.toMatch(/hush|undefined/);
  });

  it('accepts a charset and a content type in any case', async () => {
    const headers = { ...asOwner(), 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await app.send('POST', '/api/v1/automations/listFunctions', '{}', headers)).status).toBe(200);
  });

  it('names every missing parameter of every operation', async () => {
    for (const { name, input } of allOperations()) {
      const required = [...fieldsOf(input)].filter(([, spec]) => !spec.optional).map(([field]) => field);
      if (required.length === 0) continue;
      const { status, body } = await app.call(name, {});
      expect([name, status, body.code]).toEqual([name, 400, 'invalid-input']);
      expect([name, body.errors.map(({ path }: { path: string }) => path).sort()]).toEqual([name, required.sort()]);
      for (const { message } of body.errors)
        expect([name, message]).toEqual([name, expect.stringMatching(/^is required/)]);
    }
  });

  it('names every mistyped, null and unknown parameter of every operation', async () => {
    for (const { name, input } of allOperations()) {
      const fields = [...fieldsOf(input)].filter(([, spec]) => spec.type !== 'any');
      const bad = Object.fromEntries(fields.map(([field, spec]) => [field, mistyped(spec.type)]));
      const { status, body } = await app.call(name, { ...bad, surprise: 1 });
      expect([name, status]).toEqual([name, 400]);
      const missingToo = [...fieldsOf(input)].filter(([, spec]) => spec.type === 'any' && !spec.optional);
      const expected = [...Object.keys(bad), 'surprise', ...missingToo.map(([field]) => field)];
      const paths = body.errors.map(({ path }: { path: string }) => path);
      expect([name, paths.sort()]).toEqual([name, expected.sort()]);
      const nulls = Object.fromEntries(fields.filter(([, spec]) => !spec.nullable).map(([field]) => [field, null]));
      if (Object.keys(nulls).length === 0) continue;
      const refused = await app.call(name, nulls);
      expect([name, refused.status]).toEqual([name, 400]);
      const missing = refused.body.errors.map(({ path }: { path: string }) => path);
      expect([name, missing]).toEqual([name, expect.arrayContaining(Object.keys(nulls))]);
    }
  });

  it('refuses a member called __proto__ by name', async () => {
    const { status, body } = await app.send(
      'POST',
      '/api/v1/automations/listFunctions',
      '{"__proto__":{"a":1}}',
      asOwner(),
    );
    expect({ status, paths: body.errors?.map(({ path }: { path: string }) => path) }).toEqual({
      status: 400,
      paths: ['__proto__'],
    });
  });

  it.each([
    ['timeout below its bound', { timeout: 999 }, 'timeout'],
    ['timeout above its bound', { timeout: 300_001 }, 'timeout'],
    ['a fraction', { timeout: 1000.5 }, 'timeout'],
    ['too many retries', { maxRetries: 6 }, 'maxRetries'],
    ['a negative number of retries', { maxRetries: -1 }, 'maxRetries'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, 'name'],
    ['a wrong access', { grants: { bases: [{ projectId: 'p', access: 'all' }] } }, 'grants.bases[0].access'],
    ['an unknown grant', { grants: { everything: true } }, 'grants.everything'],
    ['a runBy without pages', { accessRules: { runBy: { functions: [], agents: [] } } }, 'accessRules.runBy.pages'],
    [
      'wrong members',
      { accessRules: { runBy: { pages: true, functions: [], agents: [], members: 'some' } } },
      'accessRules.runBy.members',
    ],
    ['a toolSpec without inputSchema', { toolSpec: {} }, 'toolSpec.inputSchema'],
  ])('refuses %s, naming the path', async (_, change, path) => {
    const { status, body } = await app.call('automations/updateFunction', { id: 'fn_x', ...change });
    expect(status).toBe(400);
    expect(body.errors.map((error: { path: string }) => error.path)).toEqual([path]);
  });

  it('counts characters, not UTF-16 units', async () => {
    const { status } = await app.call('automations/createFunction', { name: '😀'.repeat(200) });
    expect(status).toBe(200);
    expect((await app.call('automations/createFunction', { name: '😀'.repeat(201) })).status).toBe(400);
  });

  it('refuses code of more than 256 KB', async () => {
    const { status, body } = await app.call('automations/createFunction', {
      name: 'big',
      code: `//${'é'.repeat(140_000)}`,
    });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'code-too-large' });
  });
});

describe('Idempotency-Key', () => {
  const create = (name: string, key: string) =>
    app.call('automations/createFunction', { name }, app.ownerKey, { 'idempotency-key': key });

  it('has one effect and gets the same answer again', async () => {
    const first = await create('once', 'k1');
    const again = await create('once', 'k1');
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const { body } = await app.call('audit/getHistory', { kind: 'function', id: first.body.id });
    expect(body.events).toHaveLength(1);
  });

  it('refuses the same key with another body, but lets a refused call be repeated after correction', async () => {
    await create('reused', 'k2');
    const other = await create('reused differently', 'k2');
    expect({ status: other.status, code: other.body.code }).toEqual({ status: 409, code: 'idempotency-key-reused' });
    expect((await create('reused', 'k3')).body.code).toBe('function-name-taken');
    expect((await create('mended', 'k3')).status).toBe(200);
  });

  it('has one effect for twenty simultaneous calls', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => create('at once', 'k4')));
    const ids = new Set(all.filter(({ status }) => status === 200).map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    for (const { status, body } of all) {
      if (status !== 200) expect([status, body.code]).toEqual([409, 'idempotency-key-in-progress']);
    }
  });

  it('is remembered over a restart', async () => {
    const first = await create('kept', 'k5');
    app = await app.restart();
    expect((await create('kept', 'k5')).body).toEqual(first.body);
  });

  it.each(['', 'x'.repeat(256)])('refuses a key that is empty or too long', async (key) => {
    const { status, body } = await create('bad key', key);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'idempotency-key-invalid' });
  });
});

describe('the operator sees', () => {
  it('/healthz, /readyz with each part by name, /metrics', async () => {
    expect((await app.send('GET', '/healthz')).body).toEqual({ status: 'ok' });
    expect((await app.send('GET', '/readyz')).body).toEqual({
      status: 'ready',
      parts: {
        startup: 'ok',
        blobs: 'ok',
        texts: 'ok',
        eventStore: 'ok',
        readStore: 'ok',
        vault: 'ok',
        // Only the process that does the work hands on messages.
        ...(process.env['TEST_ENGINES'] === 'several' ? {} : { messages: 'ok' }),
        sandbox: 'ok',
        sagas: 'ok',
        readModels: 'ok',
        realtime: 'ok',
      },
    });
    const { body } = await app.send('GET', '/metrics');
    for (const name of [
      'countersign_operation_seconds',
      'countersign_projection_lag_events',
      'countersign_sandbox_jobs',
    ]) {
      expect(body).toContain(`# TYPE ${name}`);
    }
    expect(body).toContain('countersign_operation_seconds_count{operation="automations/createFunction",outcome="ok"}');
  });

  it('OpenAPI of what visitors call, as a document with a page of its own', async () => {
    const { body } = await app.send('GET', '/api/openapi-visitors.json');
    expect(Object.keys(body.paths)).toContain('/api/app/{projectId}/functions/{name}');
    expect((await app.send('GET', '/api/docs')).body).toContain('href="/api/docs/visitors"');
    expect((await app.send('GET', '/api/docs/visitors')).body).toContain('/api/docs/start-visitors.js');
    expect((await app.send('GET', '/api/docs/start-visitors.js')).body).toContain('/api/openapi-visitors.json');
  });

  it('OpenAPI with every operation, and its page with a content-security policy', async () => {
    const { body } = await app.send('GET', '/api/openapi.json');
    const operations = allOperations().map(({ name }) => `/api/v1/${name}`);
    expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(operations));
    const page = await app.send('GET', '/api/docs');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const asset of ['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js']) {
      expect((await app.send('GET', `/api/docs/${asset}`)).status).toBe(200);
    }
    expect((await app.send('GET', '/api/docs/..%2fpackage.json')).status).toBe(404);
  });
});

describe('a restart', () => {
  it('keeps everything acknowledged', async () => {
    const fn = (await app.call('automations/createFunction', { name: 'survivor', code: 'return 42' })).body;
    const run = (await app.call('automations/invokeFunction', { id: fn.id })).body;
    app = await app.restart();
    expect((await app.call('automations/getFunction', { id: fn.id })).body).toEqual(fn);
    const runs = (await app.call('automations/listRuns', { functionId: fn.id })).body;
    expect(runs.map(({ id }: { id: string }) => id)).toEqual([run.runId]);
  });
});
