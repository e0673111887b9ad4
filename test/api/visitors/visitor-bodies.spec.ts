import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { activeFunction } from '../../support/automations/flows.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace } from '../../support/people.js';
import { type RawRequest, rawRequest } from '../../support/servers/raw-request.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

const mb = 1024 * 1024;
let app: TestApp;
let site: SiteVisitors;
beforeAll(async () => {
  app = await startApp({ environment: { BODIES_MB: '4', TRUST_PROXY: '1' } });
  site = await siteVisitors(app);
});
afterAll(() => app.close());

const open: RawRequest[] = [];
afterEach(() => {
  for (const { socket } of open.splice(0)) socket.destroy();
});
const json = { 'content-type': 'application/json' };
const held = async () =>
  Number(/countersign_body_bytes (\d+)/.exec((await app.send('GET', '/metrics')).body)?.[1] ?? Number.NaN);

/** Sends a body without its last byte. Resolves when the service has buffered it (true) or refused it. */
async function isBuffered(path: string, size: number, address: string): Promise<boolean> {
  const before = await held();
  const headers = { ...json, 'content-length': size, 'x-forwarded-for': address };
  const request = await rawRequest(app, `POST ${path}`, headers);
  open.push(request);
  let refused = false;
  request.answer().then(
    () => {
      refused = true;
    },
    () => undefined,
  );
  request.send(Buffer.alloc(size - 1, 0x20));
  await eventually(async () => refused || (await held()) > before, Boolean);
  return !refused;
}
/** Fills the memory for bodies almost to the last byte. */
async function fill(path: string, address: string): Promise<void> {
  for (let size = mb; size >= 64; size /= 2) while (await isBuffered(path, size, address));
}
const visitors = (path: string) => `/api/app/${site.projectId}/${path}`;

describe("unfinished bodies of a site's visitors", () => {
  it('keep out neither the owner nor other visitors of the site', async () => {
    await site.user('ada@example.com');
    const { token } = await done(app, 'automations/createWebhook', {
      functionId: await activeFunction(app, 'return params.body.length'),
    });
    await fill(visitors('functions/none'), '192.0.2.1');
    expect(await held()).toBeLessThanOrEqual(mb);
    await fill(`/api/automations/functions/webhook/${token}`, '192.0.2.1');
    expect(await held()).toBeGreaterThan(2.9 * mb);
    expect(await held()).toBeLessThanOrEqual(3 * mb);
    const written = await app.call('automations/createFunction', {
      name: 'of the owner',
      code: `return '${'x'.repeat(200_000)}'`,
    });
    const shut = await app.call('site/updateProjectAuth', { id: site.projectId, authAllowSignup: false });
    const read = await app.call('site/getProject', { id: site.projectId });
    const other = await otherWorkspace(app);
    const beside = await app.call('automations/createFunction', { name: 'beside', code: '' }, other.ownerKey);
    expect([written, shut, read, beside].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await site.logIn('ada@example.com', undefined, { 'x-forwarded-for': '192.0.2.2' })).toMatch(/^[\w-]{32}$/);
    // About forty requests, each of which is watched until its body is buffered.
  }, 120_000);
});

describe('the body of a call', () => {
  it.each([
    ['auth/signup', 300_000],
    ['auth/profile', 300_000],
    ['email/send', 300_000],
    ['auth/login', 50_000],
    ['auth/logout', 50_000],
    ['auth/verify-email', 50_000],
    ['auth/resend-verification', 50_000],
    ['auth/forgot-password', 50_000],
    ['auth/reset-password', 50_000],
    ['auth/guest', 50_000],
    ['auth/social/exchange', 50_000],
    ['payments/checkout', 50_000],
    ['functions/none', mb],
    ['account-functions/none', mb],
  ])('of %s is at most %d bytes', async (path, limit) => {
    const answers = [];
    for (const size of [limit + 1, limit]) {
      const body = JSON.stringify({ x: 'x'.repeat(size - 8) });
      answers.push((await app.send('POST', visitors(path), body, json)).body.code);
    }
    expect([answers[0], answers[1] === 'body-too-large']).toEqual(['body-too-large', false]);
  });
});
