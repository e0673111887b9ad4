// Engines: one process.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { agentWith } from '../../support/automations/agents.js';
import { done, keyOf, type Person, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let editor: Person;
let viewer: Person;
beforeAll(async () => {
  app = await sharedApp();
  [editor, viewer] = [await person(app, 'editor'), await person(app, 'viewer')];
  await done(app, 'automations/setEnvVar', { name: 'STRIPE_KEY', value: 'sk_1', allowedHosts: ['api.stripe.com'] });
}, 60_000);
afterAll(() => app.close());

let made = 0;
const create = async (code: string, more: object = {}) => {
  const body = { name: `Refund customers ${made++}`, code, ...more };
  const { id } = await done(app, 'automations/createFunction', body, editor.key);
  return done(app, 'automations/updateFunction', { id, isActive: true }, editor.key);
};
const ask = async (operation: string, body: object, key = editor.key) => {
  const reply = await app.call(operation, body, key);
  expect([reply.status, reply.body.detail]).toEqual([202, undefined]);
  return reply.body.pendingChange;
};
const secrets = [{ name: 'STRIPE_KEY', hosts: ['api.stripe.com'] }];
const contextOf = async (id: string, key?: string) =>
  (await done(app, 'approvals/getPendingChange', { id }, key)).context;

describe('the context of a card', () => {
  it('shows the consequences in words, and whether the reader requested it', async () => {
    const { id, name } = await create('return 1');
    const card = await ask('automations/setFunctionSecrets', { id, secrets });
    expect(await contextOf(card.id)).toMatchObject({
      askedByYou: false,
      means: [`'${name}' may send STRIPE_KEY to api.stripe.com.`],
    });
    expect((await contextOf(card.id, editor.key)).askedByYou).toBe(true);
  });

  it("shows whether the reader's agent requested it", async () => {
    const { id } = await agentWith(app);
    const agent = await keyOf(app, { kind: 'agent', agentId: id });
    const table = await done(app, 'site/createProject', { name: 'Shop' });
    const { id: tableId } = await done(app, 'bases/createTable', { baseId: table.linkedBaseId, name: 'posts' });
    const card = await ask('bases/deleteTable', { id: tableId }, agent);
    const context = await contextOf(card.id);
    expect(context).toEqual({ askedByYou: true, means: [expect.stringMatching(/table/)] });
  });

  it('shows the code that runs, who wrote it and when, and what it names without holding it', async () => {
    const fn = await create("await ctx.fetch(''); ctx.secrets.ref('STRIPE_KEY'); await ctx.email.send({})");
    const waiting = await ask('automations/setFunctionCapabilities', { id: fn.id, capabilities: ['env'] });
    const context = await contextOf(waiting.id);
    expect(context.code).toEqual({
      versionId: fn.liveVersionId,
      number: 1,
      writtenBy: expect.stringMatching(/^The editor/),
      createdAt: fn.createdAt,
      isLive: true,
      text: fn.code,
    });
    expect(context.lacks).toEqual([
      "The code uses ctx.email, which needs the power 'email'; the function does not have it.",
      "The code uses the secret STRIPE_KEY, which is not on the function's list.",
    ]);
    const other = await ask('automations/setFunctionSecrets', { id: fn.id, secrets });
    expect((await contextOf(other.id)).lacks).toHaveLength(1);
  });

  it("shows the draft's code for a publication, and what that lacks", async () => {
    const fn = await create('return 1');
    const access = { id: fn.id, capabilities: ['service'], seenVersion: fn.version };
    await approved(app, await app.call('automations/setFunctionCapabilities', access, editor.key));
    const { updatedAt: seenUpdatedAt } = await done(app, 'automations/getFunction', { id: fn.id });
    const code = "return ctx.secrets.ref('STRIPE_KEY')";
    const { draft } = await done(app, 'automations/updateFunction', { id: fn.id, code, seenUpdatedAt });
    const card = await ask('automations/publishFunction', { id: fn.id, versionId: draft.versionId });
    const context = await contextOf(card.id);
    expect(context.code).toMatchObject({ versionId: draft.versionId, number: 2, writtenBy: 'Owner', isLive: false });
    expect([context.code.text, context.lacks.length]).toEqual([code, 1]);
  });

  it('shows what starts it, what it holds, and its last runs', async () => {
    const accessRules = { execute: { type: 'authenticated' }, runBy: { pages: true, functions: [], agents: 'any' } };
    const fn = await create('return 1', { accessRules });
    await approved(app, await app.call('automations/setFunctionSecrets', { id: fn.id, secrets }, editor.key));
    await done(app, 'automations/createWebhook', { functionId: fn.id });
    await done(app, 'automations/createSchedule', { functionId: fn.id, cronExpression: '0 6 * * *', timezone: 'UTC' });
    const trigger = { name: 'Paid', event: 'custom.paid', targetKind: 'account_function', targetRef: fn.id };
    await done(app, 'accountEvents/addEventTrigger', trigger);
    await done(app, 'automations/invokeFunction', { id: fn.id });
    const card = await ask('automations/setFunctionCapabilities', { id: fn.id, capabilities: ['email'] });
    const context = await contextOf(card.id);
    expect(context.starts.map(({ kind, words }: { kind: string; words: string }) => [kind, words])).toEqual([
      ['webhook', 'A webhook, for anyone who has its link'],
      ['schedule', 'A schedule: 0 6 * * * (UTC)'],
      ['event', "The event custom.paid, by the trigger 'Paid'"],
      ['pages', 'Visitors on any page'],
      ['agents', 'Any AI agent'],
      ['members', 'Every member who may run functions'],
    ]);
    expect(context.execute).toBe('a user is signed in');
    expect(context.holds).toMatchObject({ capabilities: [], identityMode: 'as_set_up', secrets });
    expect(context.runs).toEqual([
      expect.objectContaining({ source: 'manual', status: 'success', error: null, durationMs: expect.any(Number) }),
    ]);
  });

  it('is empty once it is decided', async () => {
    const { id } = await create('return 1');
    const card = await ask('automations/setFunctionCapabilities', { id, capabilities: ['email'] });
    await done(app, 'approvals/rejectPendingChange', { id: card.id });
    expect(await contextOf(card.id)).toBeUndefined();
  });
});

describe('information that is closed to the reader', () => {
  it('is left out: Viewers and read-only keys see no webhooks and schedules, as in their lists', async () => {
    const fn = await create('return 1');
    await done(app, 'automations/createWebhook', { functionId: fn.id });
    await done(app, 'automations/createSchedule', { functionId: fn.id, cronExpression: '0 6 * * *', timezone: 'UTC' });
    const card = await ask('automations/setFunctionCapabilities', { id: fn.id, capabilities: ['email'] });
    const readOnly = await keyOf(app, { kind: 'connection', memberId: editor.id, readOnly: true });
    for (const key of [viewer.key, readOnly]) {
      const { starts, code } = await contextOf(card.id, key);
      expect(starts.map(({ kind }: { kind: string }) => kind)).toEqual(['members']);
      expect(code.text).toBe('return 1');
    }
    const { starts } = await contextOf(card.id, editor.key);
    expect(starts.map(({ kind }: { kind: string }) => kind)).toEqual(['webhook', 'schedule', 'members']);
  });

  it('includes what a site keeps from agents: one that may only read functions sees no runs and schedules', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Narrowed' });
    const body = { projectId, name: 'served', code: 'return 1' };
    const { id: functionId } = await done(app, 'site/createBackendFunction', body);
    await done(app, 'site/createSchedule', {
      projectId,
      functionName: 'served',
      cronExpression: '0 6 * * *',
      timezone: 'UTC',
    });
    const card = await ask('site/setFunctionCapabilities', { projectId, functionId, capabilities: ['email'] });
    const { id: agentId } = await agentWith(app);
    const agent = await keyOf(app, { kind: 'agent', agentId });
    const kinds = ({ starts }: { starts: { kind: string }[] }) => starts.map(({ kind }) => kind);
    const whole = await contextOf(card.id, agent);
    expect([Object.keys(whole).includes('runs'), kinds(whole).includes('schedule')]).toEqual([true, true]);
    const aiPermissions = { 'backend-functions:getBackendFunction': true };
    await done(app, 'site/updateAiPermissions', { projectId, aiPermissions });
    const narrowed = await contextOf(card.id, agent);
    expect(narrowed.code.text).toBe('return 1');
    expect([whole.sites[0].name, narrowed.sites[0].name]).toEqual(['Narrowed', null]);
    expect([Object.keys(narrowed).includes('runs'), kinds(narrowed).includes('schedule')]).toEqual([false, false]);
  });
});
