import { request as httpRequest } from 'node:http';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { rawRequest } from '../../support/servers/raw-request.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

interface Answer {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly text: string;
}

/** Sends the path unchanged. `fetch` would normalise it. */
const get = (path: string, method = 'GET') =>
  new Promise<Answer>((resolve, reject) => {
    const { hostname, port } = new URL(app.url);
    const sent = httpRequest({ hostname, port, path, method }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      answer.on('end', () => resolve({ status: answer.statusCode, type: answer.headers['content-type'], text }));
    });
    sent.on('error', reject).end();
  });

describe('a path that cannot be matched to a route is refused as a problem, and not shown again', () => {
  const places = ['/api/v1/automations/', '/api/automations/functions/webhook/', '/api/app/', '/approvals/', '/'];

  it.each(places.flatMap((place) => ['%zz', '%ff', '%'].map((part) => [`${place}${part}`] as const)))(
    '%s is a 400',
    async (path) => {
      const { status, type, text } = await get(path);
      expect([status, type]).toEqual([400, 'application/problem+json; charset=utf-8']);
      expect(JSON.parse(text)).toMatchObject({
        code: 'path-malformed',
        requestId: expect.any(String),
        errors: [{ path: '', message: expect.stringContaining('escape') }],
      });
    },
  );

  it('with a part that is too long is a 404', async () => {
    const part = 'x'.repeat(2_000);
    for (const place of ['/api/v1/automations/', '/api/automations/functions/webhook/', '/api/app/']) {
      const { status, type, text } = await get(`${place}${part}`, 'POST');
      expect([status, type]).toEqual([404, 'application/problem+json; charset=utf-8']);
      expect(JSON.parse(text).code).toBe('path-part-too-long');
      expect(text).not.toContain('xxx');
    }
  });
});

describe('a compressed body', () => {
  const send = (encoding: string, body: string | Uint8Array, key = app.ownerKey) =>
    app.send('POST', '/api/v1/automations/listFunctions', body, {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      'content-encoding': encoding,
    });

  it.each(['gzip', 'br', 'identity, gzip', 'hat'])('is a 415 that says so: %s', async (encoding) => {
    for (const body of ['{}', gzipSync('{}')]) {
      const answer = await send(encoding, body);
      expect([answer.status, answer.body.code]).toEqual([415, 'content-encoding-not-supported']);
      expect(answer.body.detail).toContain('Content-Encoding');
    }
  });

  it('is checked after the key; identity encoding is accepted', async () => {
    expect((await send('gzip', '{}', 'csk_none')).status).toBe(401);
    expect((await send('identity', '{}')).status).toBe(200);
    expect((await send('Identity', '{}')).status).toBe(200);
  });
});

describe('a call without a key whose body never arrives', () => {
  it('gets one answer, and no other after the timeout', async () => {
    const server = app.app.getHttpServer();
    [server.headersTimeout, server.requestTimeout] = [400, 500];
    try {
      const headers = { 'content-type': 'application/json', 'content-length': 100 };
      const request = await rawRequest(app, 'POST /api/v1/automations/createFunction', headers);
      let told = '';
      request.socket.on('data', (text: string) => {
        told += text;
      });
      request.send('{');
      expect((await request.answer()).status).toBe(401);
      await request.closed;
      expect(told.match(/HTTP\/1\.1/g)).toHaveLength(1);
    } finally {
      [server.headersTimeout, server.requestTimeout] = [15_000, 30_000];
    }
  });
});

/** On other systems, fewer connections may wait. */
const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux('1,000 clients can connect while the process is busy', async () => {
  const connected = new Int32Array(new SharedArrayBuffer(8));
  const code = `
    const { connect } = require('node:net');
    const { connected, port } = require('node:worker_threads').workerData;
    for (let n = 0; n < 1_000; n += 1) connect(port, '127.0.0.1', () => Atomics.add(connected, 0, 1));`;
  const clients = new Worker(code, { eval: true, workerData: { connected, port: Number(new URL(app.url).port) } });
  // This loop never returns to the event loop, so no connection is accepted.
  const giveUpAt = Date.now() + 10_000;
  while (Atomics.load(connected, 0) < 1_000 && Date.now() < giveUpAt) Atomics.wait(connected, 1, 0, 10);
  await clients.terminate();
  expect(connected[0]).toBe(1_000);
});
