import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openApi } from '../../../src/http/open-api.js';
import { Vault } from '../../../src/ports/vault.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { sharedApp } from '../../support/shared-app.js';

const token = 'a-token-of-the-metrics';
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ environment: { BASE_URL: 'https://example.org/countersign', METRICS_TOKEN: token } });
}, 60_000);
afterAll(() => app.close());

const pathsIn = (page: string) => [...page.matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, path = '']) => path);

describe('the address of the service in a browser', () => {
  it('is a page that describes the service, and every path on it works', async () => {
    const { status, headers, body } = await app.send('GET', '/');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain('waits until a person approves it');
    const paths = pathsIn(body);
    for (const path of ['/approvals', '/audit', '/api/docs', '/api/openapi.json'])
      expect(paths).toContain(`/countersign${path}`);
    for (const path of paths) {
      expect(path).toMatch(/^\/countersign\//);
      // The proxy at BASE_URL strips its path prefix.
      const { status } = await fetch(`${app.url}${path.slice('/countersign'.length)}`, { redirect: 'manual' });
      // The pages of approvals and the audit redirect to the sign-in.
      expect([path, status]).toEqual([path, /\/(?:approvals|audit)$/.test(path) ? 303 : 200]);
    }
  });

  it('shows the limits of the plans', async () => {
    const { body } = await app.send('GET', '/');
    expect(body).toContain('On the plan free, a workspace has 3 sites and 1 workspace app.');
    expect(body).toContain('On the plan pro, a workspace has 500 sites and 50 workspace apps.');
  });

  it('runs no script, cannot be framed and is not cached', async () => {
    const { headers, body } = await app.send('GET', '/');
    expect(body).not.toContain('<script');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect([headers.get('x-frame-options'), headers.get('cache-control')]).toEqual(['DENY', 'no-store']);
  });

  it('accepts no input', async () => {
    expect((await app.send('POST', '/', '{}')).status).toBe(404);
  });
});

const readsOf =
  (on: TestApp) =>
  (headers: Record<string, string> = {}) =>
    on.send('GET', '/metrics', undefined, headers);

describe('/metrics', () => {
  it('are open to this machine only, if no token is set', async () => {
    const shared = await sharedApp();
    const read = readsOf(shared);
    // Also checks that the OpenAPI document lists these paths.
    const { paths } = openApi(shared.url) as { readonly paths: object };
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/healthz', '/readyz', '/metrics']));
    expect((await shared.send('GET', '/healthz')).body).toEqual({ status: 'ok' });
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      const { status, body } = await shared.send('POST', path, '{}');
      expect([path, status, body.code]).toEqual([path, 405, 'method-not-allowed']);
    }
    expect((await shared.send('GET', '/readyz')).body).toMatchObject({ status: 'ready', parts: { startup: 'ok' } });
    expect((await read()).status).toBe(200);
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']) {
      const { status, body } = await read({ [header]: '127.0.0.1' });
      expect([header, status, body.code]).toEqual([header, 403, 'metrics-not-open']);
    }
  });

  it('are open to callers with the token, if one is set', async () => {
    const read = readsOf(app);
    for (const authorization of ['', `Bearer ${token}x`, 'Bearer', `Basic ${token}`, `Bearer ${app.ownerKey}`]) {
      const { status, body } = await read(authorization === '' ? {} : { authorization });
      expect([authorization, status, body.code]).toEqual([authorization, 401, 'metrics-token-wrong']);
      expect(JSON.stringify(body)).not.toContain(token);
    }
    const { status, body } = await read({ authorization: `Bearer ${token}`, 'x-forwarded-for': '192.0.2.1' });
    expect([status, body]).toEqual([200, expect.stringContaining('countersign_operation_seconds')]);
    expect(body).toContain('countersign_messages_waiting{topic="run-requests"} 0');
  });
});

it('/readyz checks the stores once for several requests of a second', async () => {
  const shared = await sharedApp();
  const check = jest.spyOn(shared.app.get(Vault), 'check');
  const asked = await Promise.all(Array.from({ length: 5 }, () => shared.send('GET', '/readyz')));
  expect(asked.map(({ body }) => body.parts.vault)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  expect(check.mock.calls.length).toBeLessThan(5);
  check.mockRestore();
});
