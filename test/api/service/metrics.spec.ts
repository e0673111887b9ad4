import { afterEach, describe, expect, it } from '@jest/globals';
import { openApi } from '../../../src/http/open-api.js';
import { startApp, type TestApp } from '../../support/app.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
afterEach(() => app.close());
const read = (headers: Record<string, string> = {}) => app.send('GET', '/metrics', undefined, headers);

describe('/metrics', () => {
  it('are for this machine alone, where no token is set', async () => {
    app = await sharedApp();
    // As the OpenAPI document says, which every answer is held against.
    const { paths } = openApi(app.url) as { readonly paths: object };
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/healthz', '/readyz', '/metrics']));
    expect((await app.send('GET', '/healthz')).body).toEqual({ status: 'ok' });
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      const { status, body } = await app.send('POST', path, '{}');
      expect([path, status, body.code]).toEqual([path, 405, 'method-not-allowed']);
    }
    expect((await app.send('GET', '/readyz')).body).toMatchObject({ status: 'ready', parts: { startup: 'ok' } });
    expect((await read()).status).toBe(200);
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']) {
      const { status, body } = await read({ [header]: '127.0.0.1' });
      expect([header, status, body.code]).toEqual([header, 403, 'metrics-not-open']);
    }
  });

  it('are for whoever has the token, where one is set', async () => {
    const token = 'a-token-of-the-metrics';
    app = await startApp({ environment: { METRICS_TOKEN: token } });
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
