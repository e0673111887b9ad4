import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';

let app: TestApp;
let site: SiteFunctionsScene;
let staff: string;
let machines: Readonly<Record<Machine, string>>;
beforeAll(async () => {
  app = await sharedApp();
  machines = {
    agent: await keyOf(app, {
      kind: 'agent',
      agentId: (await agentWith(app, { canCreateFunctions: true, asks: 'nothing' })).id,
    }),
    automation: await keyOf(app, { kind: 'automation' }),
  };
});
afterAll(() => app?.close());
beforeEach(async () => {
  await versions(false);
  site = await SiteFunctionsScene.of(app, `Shop ${crypto.randomUUID()}`);
  staff = (await policy('Staff', nobody)).id;
});

type Machine = 'agent' | 'automation';
const each = ['agent', 'automation'] as const;
const refusal = { agent: 'agent-may-not-change', automation: 'automation-may-not-change' } as const;
const anybody = { type: 'public', scope: 'internet' };
const nobody = { type: 'has_entitlement', key: 'staff' };
const asking = (functionId: string) => ({ type: 'function', functionId });

const versions = (on: boolean) => done(app, 'workspace/updateSettings', { versions: on, fourEyes: false });
const policy = (name: string, condition: unknown) =>
  done(app, 'site/createAccessPolicy', { projectId: site.projectId, name, condition });
const updatePolicy = (policyId: string, body: object, key?: string) =>
  app.call('site/updateAccessPolicy', { policyId, ...body }, key);
const update = (functionId: string, body: object, key?: string) =>
  app.call('site/updateBackendFunction', { projectId: site.projectId, functionId, ...body }, key);
const setRules = (functionId: string, accessRules: object, key?: string) =>
  app.call('site/setBackendFunctionAccessRules', { functionId, accessRules }, key);
const created = async (name: string, code: string, execute: unknown): Promise<string> =>
  (await site.create(name, code, { accessRules: { execute } })).id;
const answerOf = async (reply: ReturnType<TestApp['call']>) => {
  const { status, body } = await reply;
  return [status, body.code];
};

/** Creates a function with Full data access (`service`) or other powers. */
async function payroll(execute: unknown, powers: readonly string[] = ['service']): Promise<string> {
  const id = await created('payroll', "return 'PAYROLL'", execute);
  await site.empower(id, powers);
  return id;
}

describe('a policy that decides who may execute an approved function', () => {
  it.each(
    each.flatMap((machine) =>
      [true, false].flatMap((on) => [['service'], ['email']].map((powers) => ({ machine, on, powers }))),
    ),
  )('cannot be changed by $machine, with versions $on and the powers $powers', async ({ machine, on, powers }) => {
    await payroll({ policy: staff }, powers);
    await versions(on);
    const asked = answerOf(updatePolicy(staff, { condition: anybody }, machines[machine]));
    expect(await asked).toEqual([403, refusal[machine]]);
    expect(await site.visit('payroll')).toBe('execute-refused');
  });

  it('is protected behind other policies, groups and drafts, but not if it affects no such function', async () => {
    const outer = (await policy('Outer', { all: [{ not: { policy: staff } }, anybody] })).id;
    const functionId = await payroll({ any: [nobody, { policy: outer }] });
    const free = (await policy('Free', nobody)).id;
    await created('plain', 'return 1', { policy: free });
    const change = (id: string) => answerOf(updatePolicy(id, { condition: anybody }, machines.automation));
    expect(await change(staff)).toEqual([403, 'automation-may-not-change']);
    expect(await change(outer)).toEqual([403, 'automation-may-not-change']);
    expect(await change(free)).toEqual([200, undefined]);
    const drafted = (await policy('Drafted', nobody)).id;
    await versions(true);
    await done(app, 'site/updateBackendFunction', {
      projectId: site.projectId,
      functionId,
      accessRules: { execute: { policy: drafted } },
    });
    expect(await change(drafted)).toEqual([403, 'automation-may-not-change']);
  });

  it('can have its name and description changed by everybody', async () => {
    await payroll({ policy: staff });
    expect((await updatePolicy(staff, { name: 'Team', description: 'Us' }, machines.agent)).status).toBe(200);
  });

  it('waits for a card when a person changes it, which is applied exactly', async () => {
    await payroll({ policy: staff });
    const { key } = await person(app, 'editor');
    const { status, body } = await updatePolicy(staff, { condition: anybody, color: '#fff' }, key);
    expect([status, body.condition]).toEqual([202, nobody]);
    expect(body.pendingChange).toMatchObject({
      kind: 'access-policy',
      approver: 'editor',
      target: { kind: 'accessPolicies', id: staff, name: 'Staff' },
      summary:
        "Change the access policy 'Staff', which decides who may execute the function 'payroll', with Full data access.",
      changes: [
        { path: 'color', from: null, to: '#fff' },
        { path: 'condition', from: nobody, to: anybody },
      ],
    });
    expect(await site.visit('payroll')).toBe('execute-refused');
    await site.approve(body);
    expect(await site.visit('payroll')).toBe('PAYROLL');
    const [listed] = await done(app, 'site/listAccessPolicies', { projectId: site.projectId });
    expect(listed).toMatchObject({ id: staff, condition: anybody, color: '#fff' });
  });

  it('closes the card if it changed in the meantime, and shows the present state', async () => {
    await payroll({ policy: staff });
    const first = await updatePolicy(staff, { condition: anybody });
    const { id, hash } = first.body.pendingChange;
    await done(app, 'site/updateAccessPolicy', { policyId: staff, description: 'Moved' });
    const { status, body } = await app.call('approvals/approvePendingChange', { id, hash });
    expect([status, body.code, body.details.standing]).toEqual([409, 'pending-change-moved', { condition: nobody }]);
    const again = await app.call('approvals/askAgain', { id });
    expect([again.status, again.body.pendingChange.changes]).toEqual([
      202,
      [{ path: 'condition', from: nobody, to: anybody }],
    ]);
  });

  it('needs no card for a function that has powers without Full data access', async () => {
    await payroll({ policy: staff }, ['email']);
    expect((await updatePolicy(staff, { condition: anybody })).status).toBe(200);
  });

  it('admits nobody once it is deleted, even under not', async () => {
    const denied = (await policy('Denied', anybody)).id;
    await payroll({ any: [anybody, { not: { policy: denied } }] });
    expect(await site.visit('payroll')).toBe('PAYROLL');
    await done(app, 'site/deleteAccessPolicy', { policyId: denied }, machines.agent);
    expect(await site.visit('payroll')).toBe('execute-refused');
  });
});

describe('a gate function that decides who may execute an approved function', () => {
  let gate: string;
  beforeEach(async () => {
    gate = await created('gate', 'return false', null);
  });
  const open = { code: 'return true' };

  it.each(each)('cannot be changed by %s while versions are off, nor activated', async (machine) => {
    await payroll({ any: [nobody, asking(gate)] });
    expect(await answerOf(update(gate, open, machines[machine]))).toEqual([403, refusal[machine]]);
    await done(app, 'site/updateBackendFunction', { projectId: site.projectId, functionId: gate, isActive: false });
    for (const on of [true, false]) {
      await versions(on);
      expect(await answerOf(update(gate, { isActive: true }, machines[machine]))).toEqual([403, refusal[machine]]);
    }
    expect(await site.visit('payroll')).toBe('execute-refused');
  });

  it('is protected behind policies, and for a function that has powers without Full data access', async () => {
    const gates = (await policy('Gates', asking(gate))).id;
    await payroll({ policy: gates }, ['email']);
    expect(await answerOf(update(gate, open, machines.automation))).toEqual([403, 'automation-may-not-change']);
    expect((await update(gate, open)).status).toBe(200);
  });

  it('waits for a card when a person changes its code, activates, publishes or rolls it back', async () => {
    await payroll(asking(gate));
    const why = "which decides who may execute the function 'payroll', with Full data access";
    const saved = await update(gate, open);
    expect([saved.status, saved.body.pendingChange.summary]).toEqual([202, `Change the function 'gate', ${why}.`]);
    expect(await site.visit('payroll')).toBe('execute-refused');
    await site.approve(saved.body);
    expect(await site.visit('payroll')).toBe('PAYROLL');

    await versions(true);
    const named = { projectId: site.projectId, functionId: gate };
    const { draft, liveVersionId } = (await update(gate, { code: 'return user !== null' })).body;
    const published = await app.call('site/publishBackendFunction', { ...named, versionId: draft.versionId });
    expect([published.status, published.body.pendingChange.kind]).toEqual([202, 'function-publish']);
    await site.approve(published.body);
    const returned = await app.call('site/rollBackBackendFunction', { ...named, versionId: liveVersionId });
    expect([returned.status, returned.body.pendingChange.summary]).toEqual([
      202,
      `Roll the function 'gate', ${why}, back to version 2.`,
    ]);
    await done(app, 'site/updateBackendFunction', { ...named, isActive: false });
    const switched = await update(gate, { isActive: true, description: 'On' });
    expect([switched.status, switched.body.isActive, switched.body.description]).toEqual([202, false, '']);
    await site.approve(switched.body);
    expect(await site.visit('payroll')).toBe('execute-refused');
  });

  it('can have its own rules and name changed, and be deactivated', async () => {
    await payroll(asking(gate));
    expect((await update(gate, { isActive: false, description: 'Off' }, machines.automation)).status).toBe(200);
    expect((await setRules(gate, { execute: anybody })).status).toBe(200);
  });
});

describe('an Undo that gives back what a function held', () => {
  const setPowers = async (functionId: string, change: object, key?: string): Promise<string> =>
    (await done(app, 'site/setFunctionCapabilities', { projectId: site.projectId, functionId, ...change }, key)).undo
      .id;
  const takeAll = (functionId: string) => setPowers(functionId, { capabilities: [] }, machines.automation);
  const undone = (id: string) => answerOf(app.call('approvals/undoNotice', { id }));
  const isOffered = async (id: string) => {
    const { notices } = await done(app, 'approvals/listNotices', { kind: 'change' });
    return notices.find((notice: { id: string }) => notice.id === id).undo.available;
  };
  const held = async (functionId: string) =>
    (await done(app, 'site/getBackendFunction', { projectId: site.projectId, functionId })).capabilities;
  const widen = (policyId: string) => updatePolicy(policyId, { condition: anybody }, machines.automation);

  it.each([['service'], ['email']])('is refused once a policy behind its rules has changed: %s', async (power) => {
    const outer = (await policy('Outer', { any: [nobody, { policy: staff }] })).id;
    const id = await payroll({ policy: outer }, [power]);
    const undo = await takeAll(id);
    expect(await isOffered(undo)).toBe(true);
    expect((await widen(staff)).status).toBe(200);
    expect(await isOffered(undo)).toBe(false);
    const { status, body } = await app.call('approvals/undoNotice', { id: undo });
    expect([status, body.code, body.detail]).toEqual([
      409,
      'undo-unavailable',
      'This can no longer be undone: a policy or function that decides who may execute it has changed since, so what it gets back needs a card. Make the change you want instead.',
    ]);
    expect(await held(id)).toEqual([]);
    await site.empower(id, [power]);
    expect(await held(id)).toEqual([power]);
  });

  it('is refused once a gate behind its rules has new code or was switched on', async () => {
    const gate = await created('gate', 'return false', null);
    const id = await payroll({ any: [nobody, asking(gate)] });
    const first = await takeAll(id);
    expect((await update(gate, { code: 'return true' }, machines.automation)).status).toBe(200);
    expect(await undone(first)).toEqual([409, 'undo-unavailable']);
    expect((await update(gate, { isActive: false })).status).toBe(200);
    await site.empower(id, ['service']);
    const second = await takeAll(id);
    expect((await update(gate, { isActive: true }, machines.automation)).status).toBe(200);
    expect(await undone(second)).toEqual([409, 'undo-unavailable']);
    expect(await held(id)).toEqual([]);
  });

  it('is not refused for other changes', async () => {
    const gate = await created('gate', 'return false', null);
    const other = (await policy('Other', nobody)).id;
    const id = await payroll({ any: [{ policy: staff }, asking(gate)] });
    const undo = await takeAll(id);
    await widen(other);
    await updatePolicy(staff, { name: 'Team' });
    await setRules(gate, { execute: anybody });
    await update(gate, { description: 'Decides' });
    expect(await undone(undo)).toEqual([200, undefined]);
    expect(await held(id)).toEqual(['service']);
  });

  it('is refused also while another power stays, and not if a person approved the policy meanwhile', async () => {
    const id = await payroll({ policy: staff }, ['service', 'email']);
    const email = await setPowers(id, { remove: ['email'] });
    await site.approve((await updatePolicy(staff, { condition: { type: 'authenticated' } })).body);
    expect(await undone(email)).toEqual([200, undefined]);
    const service = await setPowers(id, { remove: ['service'] });
    expect((await updatePolicy(staff, { condition: anybody })).status).toBe(200);
    expect(await undone(service)).toEqual([409, 'undo-unavailable']);
    expect(await held(id)).toEqual(['email']);
  });

  it('is refused if it makes rules live again that lead to a changed policy', async () => {
    const id = await payroll({ policy: staff }, ['email']);
    const { undo } = (await update(id, { code: 'return 1', accessRules: { execute: nobody } })).body;
    expect((await widen(staff)).status).toBe(200);
    expect(await undone(undo.id)).toEqual([409, 'undo-unavailable']);
    expect(await site.visit('payroll')).toBe('execute-refused');
  });
});

describe('rules of a function that a machine did not create', () => {
  const wide = { pages: 'any', functions: [], agents: 'any' };

  it.each(each)('cannot be widened by it: %s', async (machine) => {
    const plain = await created('plain', 'return 1', nobody);
    const key = machines[machine];
    for (const on of [true, false]) {
      await versions(on);
      expect(await answerOf(setRules(plain, { execute: nobody, runBy: wide }, key))).toEqual([403, refusal[machine]]);
      expect(await answerOf(setRules(plain, { execute: anybody }, key))).toEqual([403, refusal[machine]]);
    }
    const live = { accessRules: { execute: nobody, runBy: wide } };
    expect(await answerOf(update(plain, live, key))).toEqual([403, refusal[machine]]);
    expect((await setRules(plain, { execute: [], runBy: { pages: [] } }, key)).status).toBe(200);
  });

  it('of the workspace cannot be widened either', async () => {
    const { id, updatedAt } = await done(app, 'automations/createFunction', { name: `fn ${crypto.randomUUID()}` });
    const sent = {
      id,
      seenUpdatedAt: updatedAt,
      accessRules: { runBy: { pages: false, functions: [], agents: 'any' } },
    };
    expect(await answerOf(app.call('automations/updateFunction', sent, machines.automation))).toEqual([
      403,
      'automation-may-not-change',
    ]);
    expect((await app.call('automations/updateFunction', sent)).status).toBe(200);
  });

  it('may be set by the machine that created the function', async () => {
    const { projectId } = site;
    const body = { projectId, name: 'own', code: 'return 1', accessRules: { execute: nobody } };
    const { id } = await done(app, 'site/createBackendFunction', body, machines.automation);
    expect((await setRules(id, { execute: anybody, runBy: wide }, machines.automation)).status).toBe(200);
    expect(await answerOf(setRules(id, { execute: nobody, runBy: wide }, machines.agent))).toEqual([
      403,
      'agent-may-not-change',
    ]);
  });
});

it('with keep fixing for persons only: code that an automation sends waits for a card', async () => {
  const id = await payroll(anybody);
  await done(app, 'site/keepFixing', { projectId: site.projectId, functionId: id, on: true });
  expect((await update(id, { code: "return 'CANARY'" }, machines.automation)).status).toBe(202);
  expect(await site.visit('payroll')).toBe('PAYROLL');
  expect((await update(id, { code: "return 'FIXED'" })).status).toBe(200);
  expect(await site.visit('payroll')).toBe('FIXED');
});
