// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatorPlans } from '../../../src/areas/workspace/workspace/operator-plans.api.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { createMailbox, mailboxAt, password } from '../../support/mail/mailboxes.js';
import { done } from '../../support/people.js';
import { sharedOutside } from '../../support/shared-outside.js';
import { CampaignSite } from '../../support/sites/campaigns.js';

let app: TestApp;
let server: MailServerForTests;
let site: CampaignSite;
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await sharedOutside();
  await createMailbox(app, mailboxAt(server, { hourlyLimit: 10_000 }));
  site = await CampaignSite.of(app);
  await site.user('ada@example.org');
});
afterAll(async () => {
  await app.close();
  await server.close();
});

const tried = (operation: string, body: object) =>
  app.call(`site/${operation}`, { projectId: site.projectId, ...body }, undefined, { 'x-dry-run': 'true' });
const words = { name: 'News', subject: 'News', html: '<p>Hello</p>' };

describe('a dry run of a campaign operation', () => {
  it('creates, sends and deletes nothing, and reports what would be recorded', async () => {
    const created = await tried('createCampaign', words);
    expect([created.status, created.body.events.map(({ type }: { type: string }) => type)]).toEqual([
      200,
      ['CampaignCreated'],
    ]);
    expect(await site.done('listCampaigns')).toEqual([]);
    const id = await site.draft();
    const sent = await tried('sendCampaign', { id });
    expect([sent.status, sent.body.events.map(({ type }: { type: string }) => type)]).toEqual([
      200,
      ['CampaignSendingBegun'],
    ]);
    const deleted = await tried('deleteCampaign', { id });
    expect([deleted.status, deleted.body.events.map(({ type }: { type: string }) => type)]).toEqual([
      200,
      ['CampaignDeleted'],
    ]);
    const later = await CampaignSite.of(app);
    await later.user('later@example.org');
    await later.send();
    expect(await site.shown(id)).toMatchObject({ status: 'draft' });
    expect(server.received.splice(0).map(({ to }) => to)).toEqual([['later@example.org']]);
    await site.done('deleteCampaign', { id });
  });
});

describe('the history of a campaign', () => {
  it('is in the audit, a sentence each, with its counts and no address', async () => {
    const { id } = await site.send();
    await site.done('deleteCampaign', { id });
    const { events } = await done(app, 'audit/getHistory', { kind: 'campaign', id });
    const told: readonly { readonly type: string; readonly summary?: string }[] = events;
    expect(told.map(({ type }) => type).toSorted()).toEqual(
      [
        'CampaignAudienceListed',
        'CampaignCreated',
        'CampaignDeleted',
        'CampaignSendingBegun',
        'CampaignSent',
      ].toSorted(),
    );
    expect(JSON.stringify(events)).not.toContain('ada@example.org');
    const of = (type: string) => told.find((one) => one.type === type);
    expect(of('CampaignSent')).toMatchObject({ data: { recipients: 1, sent: 1, failed: 0, suppressed: 0 } });
  });

  it('can be undone for a draft, but not once it is sent', async () => {
    const id = await site.draft();
    await site.done('updateCampaign', { id, subject: 'Other' });
    const { events } = await done(app, 'audit/getHistory', { kind: 'campaign', id });
    const changed = events.find(({ type }: { type: string }) => type === 'CampaignUpdated');
    await done(app, 'audit/undoChange', { position: changed.position });
    expect(await site.shown(id)).toMatchObject({ subject: 'News' });
    await site.done('deleteCampaign', { id });
  });
});

describe('getEmailUsage', () => {
  it('counts sign-in mail and receipts of the month against the plan, but not mail of the owner (Q-S82)', async () => {
    const own = await CampaignSite.of(app);
    const { name } = await createMailbox(app, mailboxAt(server, { projectId: own.projectId, isDefault: false }));
    const auth = { authEnabled: true, authAllowSignup: true, authRequireEmail: true, authMailAccount: name };
    await done(app, 'site/updateProjectAuth', { id: own.projectId, ...auth });
    const usage = () => own.done('getEmailUsage');
    const month = new Date().toISOString().slice(0, 7);
    expect(await usage()).toEqual({ used: 0, limit: 50_000, month });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ email: 'bob@example.org', password: 'long enough' });
    expect((await app.send('POST', `/api/app/${own.projectId}/auth/signup`, body, headers)).status).toBe(200);
    await eventually(usage, ({ used }) => used === 1);
    await own.user('ada@example.org', { sendWelcomeEmail: true });
    await own.send();
    expect((await usage()).used).toBe(1);
    expect((await site.done('getEmailUsage')).used).toBe(0);
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const plans = app.app.get(OperatorPlans, { strict: false });
    for (const [plan, limit] of [
      ['free', 100],
      ['starter', 5_000],
      ['pro', 50_000],
    ] as const) {
      await plans.set(workspaceId, plan);
      expect(await usage()).toEqual({ used: 1, limit, month });
    }
  });
});
