import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { activeFunction } from '../../support/automations/flows.js';
import { takes } from '../../support/clocks/delays.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { type RawRequest, rawRequest } from '../../support/servers/raw-request.js';

const mb = 1024 * 1024;
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ environment: { BODIES_MB: '3' } });
});
afterAll(() => app.close());

const open: RawRequest[] = [];
afterEach(() => {
  for (const { socket } of open.splice(0)) socket.destroy();
});
const begin = async (...args: Parameters<typeof rawRequest>) => {
  const request = await rawRequest(...args);
  open.push(request);
  return request;
};
const json = { 'content-type': 'application/json' };
const bearer = (key: string) => ({ ...json, authorization: `Bearer ${key}` });
const create = 'POST /api/v1/automations/createFunction';
const gathered = async () =>
  Number(/countersign_body_bytes (\d+)/.exec((await app.send('GET', '/metrics')).body)?.[1] ?? Number.NaN);

describe('a request is answered before its body is read', () => {
  const large = { 'content-length': mb - 10 };

  it.each<[string, string, () => Promise<Record<string, string | number>>, number, string]>([
    ['without a key', create, async () => ({ ...json, ...large }), 401, 'key-missing'],
    ['with an unknown key', create, async () => ({ ...bearer('csk_none'), ...large }), 401, 'key-invalid'],
    [
      'to an unknown operation',
      'POST /api/v1/automations/nothing',
      async () => ({ ...bearer(app.ownerKey), ...large }),
      404,
      'unknown-operation',
    ],
    ['to an unknown path', 'POST /nothing', async () => large, 404, 'unknown-path'],
    ['to a path that takes none', 'POST /healthz', async () => large, 405, 'method-not-allowed'],
    [
      'that is not allowed',
      create,
      async () => ({ ...bearer((await person(app, 'viewer')).key), ...large }),
      403,
      'viewer-refused',
    ],
    [
      'of another type',
      create,
      async () => ({ ...bearer(app.ownerKey), ...large, 'content-type': 'text/plain' }),
      415,
      'media-type-not-supported',
    ],
    [
      'that is too large',
      create,
      async () => ({ ...bearer(app.ownerKey), 'content-length': mb + 1 }),
      413,
      'body-too-large',
    ],
    [
      'with another method',
      'PUT /api/v1/automations/createFunction',
      async () => ({ ...json, ...large }),
      405,
      'method-not-allowed',
    ],
    [
      'to a webhook that is not there',
      'POST /api/automations/functions/webhook/none',
      async () => ({ ...json, ...large }),
      404,
      'webhook-not-found',
    ],
    ['in pieces, without a key', create, async () => ({ ...json, 'transfer-encoding': 'chunked' }), 401, 'key-missing'],
  ])('answers a request %s before its body is read', async (_, line, headers, status, code) => {
    const request = await begin(app, line, await headers());
    const answer = await request.answer();
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
    expect(answer.head.toLowerCase()).toContain('connection: close');
  });

  it('to the pages with a page', async () => {
    for (const [path, type] of [
      ['/approvals/change_1/approve', 'application/x-www-form-urlencoded'],
      ['/approvals/sign-in', 'application/x-www-form-urlencoded'],
    ] as const) {
      const { status, headers } = await app.send('POST', path, 'x'.repeat(100_000), { 'content-type': type });
      expect([status, headers.get('content-type')]).toEqual([413, 'text/html; charset=utf-8']);
    }
  });

  it('and keeps the connection if the rest of it is small', async () => {
    const request = await begin(app, create, { ...json, 'content-length': 5 });
    expect((await request.answer()).head.toLowerCase()).not.toContain('connection: close');
  });
});

describe('a body that comes slowly', () => {
  it('is accepted, however small its pieces', async () => {
    const text = JSON.stringify({ name: 'in pieces', code: `return '${'é'.repeat(40_000)}'` });
    const request = await begin(app, create, { ...bearer(app.ownerKey), 'content-length': Buffer.byteLength(text) });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 1_111) request.send(bytes.subarray(at, at + 1_111));
    const { status, body } = await request.answer();
    expect(status).toBe(200);
    expect((await done(app, 'automations/getFunction', { id: body['id'] as string })).code).toContain(
      'é'.repeat(40_000),
    );
  });

  it('does nothing if its key was revoked in the meantime', async () => {
    const { key, keyId } = await person(app, 'editor');
    const text = JSON.stringify({ name: 'too late', code: '' });
    const request = await begin(app, create, { ...bearer(key), 'content-length': text.length });
    request.send(text.slice(0, 5));
    await eventually(gathered, (bytes) => bytes > 0);
    await done(app, 'workspace/revokeApiKey', { id: keyId });
    // The service checks the key again if a body takes longer than half a second.
    await takes(600);
    request.send(text.slice(5));
    const { status, body } = await request.answer();
    expect([status, body['code']]).toEqual([401, 'key-invalid']);
    const names = (await done(app, 'automations/listFunctions')).map(({ name }: { name: string }) => name);
    expect(names).not.toContain('too late');
  });

  it('is given up if it is not complete in time', async () => {
    const server = app.app.getHttpServer();
    expect([server.requestTimeout, server.headersTimeout, server.timeout]).toEqual([30_000, 15_000, 0]);
    [server.headersTimeout, server.requestTimeout] = [400, 500];
    try {
      const request = await begin(app, create, { ...bearer(app.ownerKey), 'content-length': 1_000 });
      request.send('{');
      const { status, body } = await request.answer();
      expect([status, body['code']]).toEqual([408, 'request-too-slow']);
      await request.closed;
      await eventually(gathered, (bytes) => bytes === 0);
    } finally {
      [server.headersTimeout, server.requestTimeout] = [15_000, 30_000];
    }
  });
});

describe('incoming bodies', () => {
  const unfinished = async (key: string) => {
    const request = await begin(app, create, { ...bearer(key), 'content-length': mb - 10 });
    request.send(Buffer.alloc(mb - 20, 0x20));
    return request;
  };

  it('together use limited memory, and another workspace still has its share', async () => {
    const other = await otherWorkspace(app);
    const answers: unknown[] = [];
    for (let n = 0; n < 20; n++) {
      const request = await unfinished(app.ownerKey);
      request.answer().then(
        ({ status, head, body }) => answers.push([status, body['code'], /retry-after: (\d+)/i.exec(head)?.[1]]),
        () => undefined,
      );
    }
    await eventually(
      async () => answers.length,
      (count) => count >= 17,
    );
    expect(answers).toEqual(answers.map(() => [503, 'bodies-taken', '2']));
    expect(await gathered()).toBeLessThanOrEqual(3 * mb);
    const code = `return '${'x'.repeat(200_000)}'`;
    const created = await app.call('automations/createFunction', { name: 'fits', code }, other.ownerKey);
    expect(created.status).toBe(200);
    expect(answers.length).toBeLessThanOrEqual(18);
  });

  it('free their memory when their clients disconnect', async () => {
    for (let n = 0; n < 3; n++) await unfinished(app.ownerKey);
    await eventually(gathered, (bytes) => bytes > 2 * mb);
    for (const { socket } of open) socket.destroy();
    await eventually(gathered, (bytes) => bytes === 0);
  });

  it('of webhooks have the same limit', async () => {
    const { token } = await done(app, 'automations/createWebhook', {
      functionId: await activeFunction(app, 'return params.body.length'),
    });
    const path = `/api/automations/functions/webhook/${token}`;
    const { body } = await app.send('POST', path, 'y'.repeat(900_000), { 'content-type': 'text/plain' });
    expect(body).toEqual({ success: true, data: 900_000 });
    expect((await app.send('POST', path, 'y'.repeat(mb + 1), json)).status).toBe(413);
    expect(await gathered()).toBe(0);
  });
});

describe('an invalid request', () => {
  it.each([
    ['that nobody can read', 'GET  / HTTP/9', 400, 'bad-request'],
    ['whose headers are too large', `GET /${'x'.repeat(20_000)}`, 431, 'headers-too-large'],
  ])('%s is answered with an explanation, and its connection ended', async (_, line, status, code) => {
    const request = await begin(app, line);
    const answer = await request.answer();
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
    await request.closed;
  });
});

describe('open connections', () => {
  it('without requests are ended, however many they are', async () => {
    const server = app.app.getHttpServer();
    server.headersTimeout = 300;
    try {
      const { hostname, port } = new URL(app.url);
      const sockets = Array.from({ length: 200 }, () => connect(Number(port), hostname));
      await Promise.all(sockets.map((socket) => once(socket, 'close')));
      expect((await app.send('GET', '/healthz')).status).toBe(200);
    } finally {
      server.headersTimeout = 15_000;
    }
  });

  it('are limited in number, and existing ones still get answers', async () => {
    const own = await startApp({ environment: { CONNECTIONS: '3' } });
    try {
      const held = [];
      for (let n = 0; n < 3; n++) held.push(await begin(own, create, { ...json, 'content-length': 5 }));
      await Promise.all(held.map((request) => request.answer()));
      const fourth = await begin(own, create, { ...json, 'content-length': 5 });
      await fourth.closed;
      expect((await held[0]?.answer())?.status).toBe(401);
    } finally {
      for (const { socket } of open.splice(0)) socket.destroy();
      await own.close();
    }
  });
});
