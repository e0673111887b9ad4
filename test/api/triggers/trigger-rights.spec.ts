import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { activeFlow, ranFlow } from '../../support/automations/flows.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

const onlyAdmins = { pages: false, functions: [], agents: [], members: 'admins' };
let app: TestApp;
const keys = { editor: '', agent: '', automation: '' };
let fn: string;
let plain: string;
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
  keys.editor = (await person(app, 'editor')).key;
  const agent = await agentWith(app, { canCreateFunctions: true });
  keys.agent = await keyOf(app, { kind: 'agent', agentId: agent.id });
  keys.automation = await keyOf(app, { kind: 'automation' });
  fn = await create({ accessRules: { runBy: onlyAdmins } });
  plain = await create({ accessRules: { runBy: { pages: false, functions: 'any', agents: 'any' } } });
});
afterAll(() => app.close());

let made = 0;
async function create(sent: object): Promise<string> {
  const { id } = await done(app, 'automations/createFunction', { name: `Kept ${made++}`, code: 'return 1', ...sent });
  await done(app, 'automations/updateFunction', { id, isActive: true });
  return id;
}
const name = () => `made ${made++}`;
const running = (id: string) => [{ id: 'run', kind: 'run_function', settings: { function: id } }];
const runsOf = (functionId: string): Promise<readonly object[]> => done(app, 'automations/listRuns', { functionId });

type Kind = 'a webhook' | 'a schedule' | 'a mailhook' | 'an event trigger' | 'a flow';
const triggers: Readonly<Record<Kind, (functionId: string) => readonly [string, object]>> = {
  'a webhook': (functionId) => ['automations/createWebhook', { functionId }],
  'a schedule': (functionId) => ['automations/createSchedule', { functionId, cronExpression: '0 0 1 1 *' }],
  'a mailhook': (targetRef) => [
    'automations/createMailhook',
    { name: name(), targetKind: 'account_function', targetRef },
  ],
  'an event trigger': (targetRef) => [
    'accountEvents/addEventTrigger',
    { event: 'custom.aimed', targetKind: 'account_function', targetRef, config: { params: { chosen: true } } },
  ],
  'a flow': (id) => ['flows/createFlow', { name: name(), steps: running(id) }],
};

const refusal = async (operation: string, body: object, key?: string) => {
  const reply = await app.call(operation, body, key);
  return [reply.status, reply.body.code];
};
const no = [403, 'run-not-allowed'];

describe.each(Object.entries(triggers))('the rights to a %s', (_, of) => {
  it('are those to start the function, for creation', async () => {
    for (const key of [keys.editor, keys.agent]) {
      expect(await refusal('automations/invokeFunction', { id: fn }, key)).toEqual(no);
      expect(await refusal(...of(fn), key)).toEqual(no);
    }
    for (const key of [app.ownerKey, keys.automation]) await done(app, ...of(fn), key);
    for (const key of [keys.editor, keys.agent]) await done(app, ...of(plain), key);
  });

  it('let code create it if the function permits the caller to start it', async () => {
    const [operation, body] = of(fn);
    const tool = operation.replace('/', '_');
    const code = (sent: object) => `
      try { await ctx.connections.call('service', '${tool}', ${JSON.stringify(sent)}); return 'done' }
      catch (error) { return error.code }`;
    const resultOf = async (sent: object) => {
      const id = await create({ code: code(sent), grants: { serviceTools: [tool] } });
      return (await done(app, 'automations/invokeFunction', { id })).result;
    };
    expect(await resultOf(body)).toBe('run-not-allowed');
    expect(await resultOf(of(plain)[1])).toBe('done');
  });
});

describe('an existing trigger', () => {
  const owned = async (kind: Kind) => (await done(app, ...triggers[kind](fn))).id;

  it('for an event can be aimed, given input and switched on only by those who may start its target', async () => {
    const id = await owned('an event trigger');
    const update = (sent: object) => ['accountEvents/updateEventTrigger', { id, ...sent }] as const;
    for (const key of [keys.editor, keys.agent]) {
      await done(app, ...update({ isActive: false, name: name() }), key);
      for (const sent of [
        { event: 'custom.mine' },
        { config: { params: { chosen: 'by me' } } },
        { filters: [{ field: 'name', op: 'eq', value: 'x' }] },
        { isActive: true },
      ]) {
        expect([sent, ...(await refusal(...update(sent), key))]).toEqual([sent, ...no]);
      }
    }
    await done(app, 'accountEvents/raise', { name: 'mine' }, keys.editor);
    await done(app, ...update({ event: 'custom.mine', isActive: true }));
    const before = await runsOf(fn);
    expect(before).toEqual([]);
  });

  it.each([
    ['a webhook', 'automations/setWebhookActive'],
    ['a schedule', 'automations/setScheduleActive'],
    ['a mailhook', 'automations/updateMailhook'],
  ] as const)(
    '%s can be switched on only by those who may start its target, and off by anybody',
    async (kind, operation) => {
      const id = await owned(kind);
      await done(app, operation, { id, isActive: false }, keys.editor);
      expect(await refusal(operation, { id, isActive: true }, keys.editor)).toEqual(no);
      await done(app, operation, { id, isActive: true });
    },
  );

  it('a mailhook can be pointed at a function only by those who may start it, and away from it by anybody', async () => {
    const id = await owned('a mailhook');
    const point = (targetRef: string, more: object = {}) =>
      ['automations/updateMailhook', { id, targetKind: 'account_function', targetRef, ...more }] as const;
    await done(app, ...point(fn, { name: name() }), keys.editor);
    await done(app, ...point(plain), keys.editor);
    for (const key of [keys.editor, keys.agent]) expect(await refusal(...point(fn), key)).toEqual(no);
  });

  it('continues when the function no longer permits its maker to start it', async () => {
    const id = await create({});
    const { token } = await done(app, 'automations/createWebhook', { functionId: id }, keys.editor);
    const { updatedAt } = await done(app, 'automations/getFunction', { id });
    await done(app, 'automations/updateFunction', { id, seenUpdatedAt: updatedAt, accessRules: { runBy: onlyAdmins } });
    expect(await refusal('automations/invokeFunction', { id }, keys.editor)).toEqual(no);
    const reply = await app.send('POST', `/api/automations/functions/webhook/${token}`, '{}', {
      'content-type': 'application/json',
    });
    expect([reply.status, reply.body]).toEqual([200, { success: true, data: 1 }]);
  });
});

describe('an existing flow', () => {
  it('can get other steps only from those who may start what it runs, and other changes from anybody', async () => {
    const id = await activeFlow(app, running(fn));
    const wait = { id: 'w', kind: 'wait', settings: { seconds: 0 } };
    const { steps } = await done(app, 'flows/getFlow', { id });
    await done(app, 'flows/updateFlow', { id, steps, description: 'as it was' }, keys.editor);
    expect(await refusal('flows/updateFlow', { id, steps: [wait, ...steps] }, keys.editor)).toEqual(no);
    await done(app, 'flows/updateFlow', { id, isActive: false }, keys.editor);
    expect(await refusal('flows/updateFlow', { id, isActive: true }, keys.editor)).toEqual(no);
    expect(await refusal('flows/runFlow', { id }, keys.editor)).toEqual(no);
    await done(app, 'flows/updateFlow', { id, isActive: true });
    expect(await ranFlow(app, id)).toMatchObject({ status: 'success' });
  });

  it('that an automation wrote can be activated and tried by a person who may start what it runs', async () => {
    const steps = running(fn);
    const { id } = await done(app, 'flows/createFlow', { name: name(), steps }, keys.automation);
    expect(await refusal('flows/runFlow', { id }, keys.editor)).toEqual(no);
    expect(await refusal('flows/updateFlow', { id, isActive: true }, keys.editor)).toEqual(no);
    await done(app, 'flows/runFlow', { id });
  });
});

describe('an AI agent as a target', () => {
  const at = (targetRef: string): readonly (readonly [string, object])[] => [
    ['automations/createTargetWebhook', { targetKind: 'agent', targetRef }],
    ['automations/createSchedule', { targetKind: 'agent', targetRef, cronExpression: '0 0 1 1 *' }],
    ['automations/createMailhook', { name: name(), targetKind: 'agent', targetRef }],
    ['accountEvents/addEventTrigger', { event: 'custom.x', targetKind: 'agent', targetRef }],
  ];

  it('gets no trigger from another agent, because agents run no agents but themselves', async () => {
    const { id } = await agentWith(app);
    const own = await keyOf(app, { kind: 'agent', agentId: id });
    for (const [operation, body] of at(id)) {
      expect(await refusal(operation, body, keys.agent)).toEqual([403, 'agent-run-not-allowed']);
      for (const key of [keys.editor, own]) await done(app, operation, body, key);
    }
  });

  it('gets none from code', async () => {
    const { id: targetRef } = await agentWith(app);
    const sent = JSON.stringify({ targetKind: 'agent', targetRef });
    const code = `
      try { await ctx.connections.call('service', 'automations_createTargetWebhook', ${sent}); return 'done' }
      catch (error) { return error.code }`;
    const id = await create({ code, grants: { serviceTools: ['automations_createTargetWebhook'] } });
    expect((await done(app, 'automations/invokeFunction', { id })).result).toBe('agent-run-not-allowed');
  });
});

describe('the links of triggers', () => {
  it('are shown only to those who may start the target themselves', async () => {
    const webhook = await done(app, 'automations/createWebhook', { functionId: fn });
    const mailhook = await done(app, ...triggers['a mailhook'](fn));
    const links = async (key?: string) => {
      const { body } = await app.call('automations/listTriggers', { functionId: fn }, key);
      const listed = (await app.call('automations/listMailhooks', {}, key)).body.mailhooks;
      const { token } = body.webhooks.find(({ id }: { id: string }) => id === webhook.id);
      const { address } = listed.find(({ id }: { id: string }) => id === mailhook.id);
      return { token, address };
    };
    expect(await links()).toEqual({ token: webhook.token, address: mailhook.address });
    expect(await links(keys.editor)).toEqual({ token: null, address: null });
    expect(await links(keys.agent)).toEqual({ token: null, address: null });
  });
});
