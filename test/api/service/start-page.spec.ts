import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ environment: { BASE_URL: 'https://example.org/countersign' } });
}, 60_000);
afterAll(() => app.close());

const pathsIn = (page: string) => [...page.matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, path = '']) => path);

describe('the address of the service in a browser', () => {
  it('is a page that says what this is, and every path on it leads somewhere', async () => {
    const { status, headers, body } = await app.send('GET', '/');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain('waits until a person approves it');
    const paths = pathsIn(body);
    for (const path of ['/approvals', '/audit', '/api/docs', '/api/openapi.json'])
      expect(paths).toContain(`/countersign${path}`);
    for (const path of paths) {
      expect(path).toMatch(/^\/countersign\//);
      // The proxy that stands at BASE_URL takes its path away.
      const { status } = await fetch(`${app.url}${path.slice('/countersign'.length)}`, { redirect: 'manual' });
      // Approvals and the audit lead on to signing in.
      expect([path, status]).toEqual([path, /\/(?:approvals|audit)$/.test(path) ? 303 : 200]);
    }
  });

  it('says what the plans include', async () => {
    const { body } = await app.send('GET', '/');
    expect(body).toContain('On the plan free, a workspace has 3 sites and 1 workspace app.');
    expect(body).toContain('On the plan pro, a workspace has 500 sites and 50 workspace apps.');
  });

  it('runs no script, is framed by nobody and is not kept', async () => {
    const { headers, body } = await app.send('GET', '/');
    expect(body).not.toContain('<script');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect([headers.get('x-frame-options'), headers.get('cache-control')]).toEqual(['DENY', 'no-store']);
  });

  it('takes nothing', async () => {
    expect((await app.send('POST', '/', '{}')).status).toBe(404);
  });
});
