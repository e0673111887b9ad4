import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { createMailbox, mailboxAt, password } from '../../support/mail/mailboxes.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedOutside } from '../../support/shared-outside.js';
import { CampaignSite } from '../../support/sites/campaigns.js';
import { filesHolding } from '../../support/stores/kept-texts.js';

let app: TestApp;
let server: MailServerForTests;
let site: CampaignSite;
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await sharedOutside();
  await createMailbox(app, mailboxAt(server, { hourlyLimit: 10_000 }));
});
afterAll(async () => {
  await app.close();
  await server.close();
});
beforeEach(async () => {
  server.willing();
  server.received.length = 0;
  site = await CampaignSite.of(app);
});

const suppressed = () => site.done('listSuppressions');

/** The path of the unsubscribe link in the last mail. */
async function link(): Promise<string> {
  await site.send();
  const url = /List-Unsubscribe: <([^>]+)>/.exec(server.last.raw)?.[1] ?? '';
  return new URL(url).pathname;
}

const oneClick = (path: string) =>
  app.send('POST', path, 'List-Unsubscribe=One-Click', { 'content-type': 'application/x-www-form-urlencoded' });

describe('the unsubscribe link', () => {
  it('asks, changes nothing on GET, and unsubscribes with a form without scripts', async () => {
    await site.user('ada@example.org');
    const path = await link();
    for (const method of ['GET', 'HEAD']) {
      const { status, body, headers } = await app.send(method, path);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      if (method === 'GET') expect(body).toMatch(/<form method="post"><button type="submit">Unsubscribe/);
    }
    expect(await suppressed()).toEqual([]);
    const { status, body } = await oneClick(path);
    expect([status, body]).toEqual([200, expect.stringContaining('You are unsubscribed')]);
    expect(await suppressed()).toEqual([
      {
        id: expect.any(String),
        email: 'ada@example.org',
        reason: 'unsubscribed',
        campaignId: expect.any(String),
        createdAt: expect.any(String),
      },
    ]);
  });

  it('works with one click, from anywhere, with any body, any number of times', async () => {
    await site.user('ada@example.org');
    const path = await link();
    const foreign = { origin: 'https://elsewhere.example', 'content-type': 'multipart/form-data; boundary=x' };
    expect((await app.send('POST', path, '--x--', foreign)).status).toBe(200);
    const [{ stats }] = await site.done('listCampaigns');
    for (let again = 0; again < 3; again += 1) expect((await oneClick(path)).status).toBe(200);
    expect(await suppressed()).toHaveLength(1);
    expect(stats.unsubscribed).toBe(1);
    expect((await site.done('listCampaigns'))[0].stats.unsubscribed).toBe(1);
  });

  it('is refused in the same way for every fault', async () => {
    await site.user('ada@example.org');
    const path = await link();
    const other = await CampaignSite.of(app);
    const token = path.slice(path.lastIndexOf('/') + 1);
    const [campaign, user, suppression, signature = ''] = token.split('.');
    const wrong = [
      path.slice(0, -1),
      path.replace(site.projectId, other.projectId),
      path.replace(site.projectId, 'proj_nothing'),
      path.replace(
        token,
        [campaign, user, suppression?.replace(/.$/, (last) => (last === '0' ? '1' : '0')), signature].join('.'),
      ),
      path.replace(token, [campaign, user, suppression, signature.toLowerCase()].join('.')),
      path.replace(token, `${token}.`),
      path.replace(token, 'x'),
      path.replace(token, encodeURIComponent('a.b.c.⚡️'.repeat(50))),
    ];
    const answers = await Promise.all(
      wrong.flatMap((one) =>
        ['GET', 'POST'].map((method) => app.send(method, one, method === 'POST' ? '' : undefined)),
      ),
    );
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
    expect([...(await suppressed()), ...(await other.done('listSuppressions'))]).toEqual([]);
    expect((await app.send('PUT', path, '')).status).toBe(405);
  });

  it('still works for a deleted user or one with another address, for the address that was mailed', async () => {
    const { id: userId } = await site.user('ada@example.org');
    const path = await link();
    await site.done('updateAppUser', { userId, email: 'other@example.org' });
    await oneClick(path);
    expect(await suppressed()).toMatchObject([{ email: null, reason: 'unsubscribed' }]);
    await site.user('ada@example.org');
    expect((await site.send()).stats).toMatchObject({ recipients: 2, sent: 1, suppressed: 1 });
    expect(server.last.to).toEqual(['other@example.org']);
  });
});

describe('a suppressed address', () => {
  it('gets no campaigns but other mail (SR-12)', async () => {
    const { id: userId } = await site.user('ada@example.org');
    await site.user('bob@example.org');
    await site.done('addSuppression', { email: ' ADA@Example.org ', reason: 'complained' });
    expect(await suppressed()).toMatchObject([{ email: 'ada@example.org', reason: 'complained', campaignId: null }]);
    const preview = await site.done('previewCampaignAudience', { id: await site.draft() });
    expect(preview).toMatchObject({ count: 1, suppressed: 1, partial: false });
    expect(preview.sample).toMatchObject([{ email: 'bob@example.org', name: 'bob' }]);
    const { id, stats } = await site.send();
    expect(stats).toMatchObject({ recipients: 2, sent: 1, suppressed: 1 });
    expect(server.received.map(({ to }) => to)).toEqual([['bob@example.org']]);
    expect(await site.done('listCampaignRecipients', { id, status: 'suppressed' })).toMatchObject([{ userId }]);
    const { name } = await createMailbox(app, mailboxAt(server, { projectId: site.projectId, isDefault: false }));
    await done(app, 'site/updateProjectAuth', { id: site.projectId, authMailAccount: name, authEnabled: true });
    const forgot = JSON.stringify({ email: 'ada@example.org' });
    const path = `/api/app/${site.projectId}/auth/forgot-password`;
    expect((await app.send('POST', path, forgot, { 'content-type': 'application/json' })).status).toBe(200);
    await eventually(
      async () => server.received,
      (all) => all.some(({ to }) => to.includes('ada@example.org')),
    );
  });

  it('is mailed again once its suppression is removed by address', async () => {
    await site.user('ada@example.org');
    await site.done('addSuppression', { email: 'ada@example.org' });
    const missing = await site.call('removeSuppression', { email: 'bob@example.org' });
    expect([missing.status, missing.body.code]).toEqual([404, 'suppression-not-found']);
    const invalid = await site.call('removeSuppression', { email: 'no address' });
    expect([invalid.status, invalid.body.code]).toEqual([400, 'suppression-email-invalid']);
    await site.done('removeSuppression', { email: 'Ada@example.org' });
    expect(await suppressed()).toEqual([]);
    expect((await site.send()).stats).toMatchObject({ sent: 1, suppressed: 0 });
  });

  it('is not removed by a key that never deletes', async () => {
    await site.done('addSuppression', { email: 'ada@example.org' });
    const key = await keyOf(app, { kind: 'person', neverDeletes: true });
    const sent = { projectId: site.projectId, email: 'ada@example.org' };
    const { status, body } = await app.call('site/removeSuppression', sent, key);
    expect([status, body.code]).toEqual([403, 'key-never-deletes']);
    expect(await suppressed()).toHaveLength(1);
  });

  it('survives its user, is then listed without the address, and applies again when the address is back', async () => {
    const { id: userId } = await site.user('ada@example.org');
    await site.done('addSuppression', { email: 'ada@example.org' });
    await site.done('deleteAppUser', { userId });
    await eventually(suppressed, ([one]) => one.email === null);
    await site.user('ada@example.org');
    expect((await site.send()).stats).toMatchObject({ recipients: 1, suppressed: 1 });
  });

  it('applies to one site only', async () => {
    await site.user('ada@example.org');
    const other = await CampaignSite.of(app);
    await other.user('ada@example.org');
    await other.done('addSuppression', { email: 'ada@example.org' });
    expect((await site.send()).stats).toMatchObject({ sent: 1 });
    expect((await other.send()).stats).toMatchObject({ suppressed: 1 });
  });

  it('is in no event, document or log in the clear, whatever happened to its mail', async () => {
    const email = 'zyxomma@example.org';
    await site.user(email, { name: 'Zyxomma' });
    await oneClick(await link());
    await site.done('removeSuppression', { email });
    server.atRecipient = (address) => (address === email ? `550 5.1.1 <${email}> is unknown` : undefined);
    expect((await site.send()).stats).toMatchObject({ failed: 1 });
    expect(await suppressed()).toMatchObject([{ email, reason: 'bounced' }]);
    expect(await filesHolding(app.dataDir, 'zyxomma')).toEqual([]);
    expect(await filesHolding(app.dataDir, 'Zyxomma')).toEqual([]);
  });

  it('is listed a page at a time, to those who may see users', async () => {
    for (const at of [0, 1, 2]) await site.done('addSuppression', { email: `u${at}@example.org` });
    const first = await site.done('listSuppressions', { limit: 2 });
    const rest = await site.done('listSuppressions', { before: first[1].id });
    expect([first.length, rest.length, new Set([...first, ...rest].map(({ id }) => id)).size]).toEqual([2, 1, 3]);
    const viewer = await person(app, 'viewer');
    expect((await app.call('site/listSuppressions', { projectId: site.projectId }, viewer.key)).status).toBe(403);
  });
});

it('the documented function of a mailhook suppresses what bounces and complaints are about', async () => {
  const readme = readFileSync(new URL('../../../src/areas/campaigns/README.md', import.meta.url), 'utf8');
  const code = /```js\n([\s\S]+?)```/.exec(readme)?.[1]?.replace('proj_…', site.projectId) ?? '';
  const grants = { bases: [{ projectId: site.projectId }], serviceTools: ['site_addSuppression'] };
  const { id } = await done(app, 'automations/createFunction', { name: 'Bounces', code, grants });
  const emails = ['ada@example.org', 'bob@example.org'];
  for (const email of emails) await site.user(email);
  for (const text of [
    `It could not be delivered.\nFinal-Recipient: rfc822; ${emails[0]}\nAction: failed`,
    `Feedback-Type: abuse\nOriginal-Recipient: rfc822;${emails[1]}`,
    'Nothing of the kind.',
  ]) {
    await done(app, 'automations/invokeFunction', { id, event: { text } });
  }
  const listed = await suppressed();
  expect(listed.map(({ email, reason }: { email: string; reason: string }) => [email, reason]).toSorted()).toEqual([
    ['ada@example.org', 'bounced'],
    ['bob@example.org', 'complained'],
  ]);
});
