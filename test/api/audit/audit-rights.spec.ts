import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordCategories, recordKind } from '../../../src/kernel/record/record.js';
import type { TestApp } from '../../support/app.js';
import { activeFunction } from '../../support/automations/flows.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let editor: string;
let viewer: string;
/** One id of each kind of record that a caller can create. */
const ids: Record<string, string> = {};
const links: string[] = [];

beforeAll(async () => {
  app = await sharedApp();
  editor = (await person(app, 'editor')).key;
  viewer = (await person(app, 'viewer')).key;
  const fn = await activeFunction(app, 'return 1');
  const webhook = await done(app, 'automations/createWebhook', { functionId: fn });
  const target = { targetKind: 'account_function', targetRef: fn };
  const mailhook = await done(app, 'automations/createMailhook', { name: 'Orders', ...target });
  links.push(webhook.token, String(mailhook.address).split('@')[0] ?? '');
  const schedule = await done(app, 'automations/createSchedule', { functionId: fn, cronExpression: '0 3 * * *' });
  const flow = await done(app, 'flows/createFlow', { name: 'F', steps: [] });
  const agent = await done(app, 'workspace/addAgent', { name: 'Scout' });
  const trigger = await done(app, 'accountEvents/addEventTrigger', { ...target, event: 'custom.order' });
  const mailAccount = await done(app, 'automations/createMailAccount', {
    name: 'Desk',
    fromAddress: 'desk@example.com',
    host: 'mail.example.com',
    port: 465,
    secure: true,
    username: 'desk',
    password: 'a-password-of-desk',
  });
  const { id: projectId } = await done(app, 'site/createProject', { name: 'Site' });
  const user = { projectId, email: 'ada@example.com', password: 'long enough' };
  const appUser = await done(app, 'site/createAppUser', user);
  Object.assign(ids, {
    function: fn,
    webhook: webhook.id,
    mailhook: mailhook.id,
    schedule: schedule.id,
    flow: flow.id,
    agent: agent.id,
    eventTrigger: trigger.id,
    appUser: appUser.id,
    mailAccount: mailAccount.id,
  });
}, 60_000);
afterAll(() => app?.close());

const seenBy = async (key: string) => {
  const kinds = Object.entries(ids).map(async ([kind, id]) => {
    const { status } = await app.call('audit/getHistory', { kind, id }, key);
    const { body } = await app.call('audit/listEvents', { id }, key);
    const first = body.events[0];
    const whole = await app.call('audit/getEvent', { position: first?.position ?? 0 }, key);
    return status === 200 && whole.status === 200 && first.resource.kind === kind ? [kind] : [];
  });
  return (await Promise.all(kinds)).flat();
};

describe('the audit', () => {
  it('can be read by every member for the records that they may see', async () => {
    const ofViewers = ['function', 'flow', 'agent', 'eventTrigger'];
    const ofEditors = ['function', 'webhook', 'mailhook', 'schedule', 'flow', 'agent', 'eventTrigger', 'appUser'];
    expect(await seenBy(viewer)).toEqual(ofViewers);
    expect(await seenBy(editor)).toEqual(ofEditors);
    expect(await seenBy(app.ownerKey)).toEqual([...ofEditors, 'mailAccount']);
    expect(await seenBy((await person(app, 'viewer', ['audit.read'])).key)).toEqual(await seenBy(app.ownerKey));
  });

  it('shows nobody the token of a webhook or the address of a mailhook', async () => {
    const readOnly = await keyOf(app, { kind: 'person', readOnly: true });
    for (const key of [viewer, editor, readOnly, app.ownerKey]) {
      const answers: unknown[] = [(await app.call('audit/listEvents', { limit: 200 }, key)).body];
      for (const [kind, id] of Object.entries(ids)) {
        answers.push((await app.call('audit/getHistory', { kind, id }, key)).body);
        const { events } = (await app.call('audit/listEvents', { id }, key)).body;
        for (const { position } of events) answers.push((await app.call('audit/getEvent', { position }, key)).body);
      }
      const shown = JSON.stringify(answers);
      for (const link of links) expect(shown).not.toContain(link);
    }
  });

  it('covers every kind of record that it declares', () => {
    const audited = Object.fromEntries(recordCategories().map((kind) => [kind, recordKind(kind)?.auditedFor]));
    expect(audited).toEqual({
      accessPolicies: 'site.read',
      accountEvent: 'functions.read',
      agent: 'workspace.read',
      apiKey: 'keys.manage',
      appSetting: 'functions.read',
      appUser: 'site.users',
      base: 'site.read',
      campaign: 'site.read',
      chat: 'members.manage',
      component: 'site.read',
      coupon: 'site.read',
      credits: 'workspace.read',
      customDomain: 'site.read',
      processorConnection: 'site.money',
      sitePayment: 'site.money',
      emailTemplate: 'site.read',
      entitlement: 'site.users',
      envVar: 'functions.read',
      eventTrigger: 'functions.read',
      flow: 'functions.read',
      function: 'functions.read',
      gitRepository: 'site.read',
      mailAccount: 'mailboxes.manage',
      mailDefault: 'functions.read',
      mailhook: 'functions.edit',
      mcpConnection: 'site.read',
      member: 'workspace.read',
      outgoingMail: 'site.users',
      offer: 'site.read',
      page: 'site.read',
      pendingChange: 'functions.read',
      project: 'site.read',
      projectSlots: 'site.read',
      publication: 'site.read',
      schedule: 'functions.edit',
      siteRole: 'site.read',
      siteEnvVar: 'site.read',
      row: 'site.read',
      siteMail: 'site.users',
      socialAccount: 'site.users',
      suppression: 'site.users',
      table: 'site.read',
      siteFunction: 'site.read',
      siteFile: 'site.read',
      siteRules: 'site.read',
      webhook: 'functions.edit',
      workspace: 'workspace.read',
    });
  });

  it('lists the events of a resource by its id alone', async () => {
    const { events } = await done(app, 'audit/listEvents', { id: ids['schedule'] });
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['ScheduleCreated']);
    expect((await done(app, 'audit/listEvents', { id: ids['schedule'] }, viewer)).events).toEqual([]);
  });

  it('lists its own readings by their type, to those who may see all', async () => {
    await done(app, 'audit/getHistory', { kind: 'flow', id: ids['flow'] }, viewer);
    const types = ['AuditRead', 'AuditReadAgain'];
    const asked = async (key: string) => (await done(app, 'audit/listEvents', { types, limit: 200 }, key)).events;
    const flow = { kind: 'flow', id: ids['flow'] };
    expect((await asked(app.ownerKey)).map(({ data }: { data: { asked: object } }) => data.asked)).toContainEqual(flow);
    expect(await asked(viewer)).toEqual([]);
    expect(await asked(editor)).toEqual([]);
    const plain = await done(app, 'audit/listEvents', { limit: 200 });
    expect(plain.events.map(({ type }: { type: string }) => type)).not.toContain('AuditRead');
  });

  it('grows by only a few events if the same is read again and again', async () => {
    const readOnly = await keyOf(app, { kind: 'automation', readOnly: true });
    const types = Array(50).fill('x'.repeat(2_000));
    for (let n = 0; n < 60; n++) await done(app, 'audit/listEvents', { types, limit: 1 + n }, readOnly);
    const { events } = await done(app, 'audit/listEvents', { kind: 'auditReading', limit: 200 });
    const mine = events.filter(({ data }: { data: { asked: { types?: string[] } } }) =>
      data.asked.types?.[0]?.startsWith('xxx'),
    );
    expect(mine.length).toBeLessThanOrEqual(7);
    expect(JSON.stringify(mine).length).toBeLessThan(30_000);
    const times = mine.reduce((sum: number, { data }: { data: { times?: number } }) => sum + (data.times ?? 1), 0);
    expect(times).toBeGreaterThanOrEqual(30);
  });
});
