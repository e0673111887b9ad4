import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import '../../src/app.module.js';
import { allOperations, type RegisteredOperation } from '../../src/engine/operation/operation.js';
import { type CallerKind, type Permission, permissionsOfRole } from '../../src/kernel/caller.js';
import { bodyOf, type Drawn } from '../support/any-body.js';
import { type Reply, startApp, type TestApp } from '../support/app.js';
import { eventScene } from '../support/event-triggers.js';
import { activeFlow, activeFunction, endedRun, ranFlow } from '../support/flows.js';
import { done, keyOf, otherWorkspace, person } from '../support/people.js';

const runs = 25;
const areas = ['automations', 'accountEvents', 'flows', 'agents'];
const declared = new Set(['store-unavailable', 'assistant-unavailable', 'assistant-not-configured']);
/** Stands in everything of the scene that is secret. */
const secret = 'canary-1f9d2c7be8';
const operations = allOperations()
  .filter(({ name }) => areas.includes(name.split('/')[0] ?? ''))
  // What takes away comes last: the others want something that is still there.
  .sort((a, b) => Number(a.takesAway ?? false) - Number(b.takesAway ?? false));

/** Whose key it is, and which operations it may never get a success of. */
interface AnyCaller {
  readonly who: string;
  readonly key: string;
  readonly never?: (operation: RegisteredOperation) => boolean;
}

let app: TestApp;
let callers: readonly AnyCaller[];
let drawn: Drawn;

beforeAll(async () => {
  app = await startApp();
  const fn = await activeFunction(app, 'return 1');
  const flow = await activeFlow(app, [{ id: 'a', kind: 'run_function', settings: { function: fn } }]);
  const { id: agent } = await done(app, 'workspace/addAgent', { name: 'Scout', canCreateFunctions: true });
  const invoked = await done(app, 'automations/invokeFunction', { id: fn });
  const { runId } = await done(app, 'flows/runFlow', { id: flow });
  await endedRun(app, runId);
  const webhook = await done(app, 'automations/createWebhook', { functionId: fn });
  await done(app, 'automations/setWebhookVerification', { id: webhook.id, scheme: 'stripe', secret });
  const target = { targetKind: 'account_function', targetRef: fn };
  const schedule = await done(app, 'automations/createSchedule', { functionId: fn, cronExpression: '0 3 * * *' });
  const trigger = await done(app, 'accountEvents/addEventTrigger', { ...target, event: 'custom.order' });
  const mailbox = await done(app, 'automations/createMailAccount', {
    name: 'Desk',
    fromAddress: 'desk@example.com',
    host: 'mail.example.com',
    port: 465,
    secure: true,
    username: 'desk',
    password: secret,
  });
  await done(app, 'automations/setEnvVar', { name: 'CANARY', value: secret, allowedHosts: ['api.example.com'] });
  const other = await otherWorkspace(app);
  const theirs = await done(app, 'automations/createFunction', { name: 'theirs', code: '' }, other.ownerKey);
  const viewer = await person(app, 'viewer');
  const editor = await person(app, 'editor');
  const isOpenTo = ({ callers: open }: RegisteredOperation, kind: CallerKind) => open?.includes(kind) ?? true;
  const isCommand = ({ effect, showsLinks }: RegisteredOperation) => effect === 'command' || showsLinks === true;
  const viewers: readonly Permission[] = permissionsOfRole.viewer;
  const isBeyondViewers = (one: RegisteredOperation) => !viewers.includes(one.permission) || one.showsLinks === true;
  callers = [
    { who: 'owner', key: app.ownerKey },
    { who: 'the same owner', key: app.ownerKey },
    { who: 'editor', key: editor.key, never: ({ permission }) => permission === 'mailboxes.manage' },
    { who: 'viewer', key: viewer.key, never: isBeyondViewers },
    { who: 'another workspace', key: other.ownerKey },
    {
      who: 'agent',
      key: await keyOf(app, { kind: 'agent', agentId: agent }),
      never: (one) => !isOpenTo(one, 'agent') || one.permission === 'mailboxes.manage',
    },
    { who: 'automation', key: await keyOf(app, { kind: 'automation' }), never: (one) => !isOpenTo(one, 'automation') },
    { who: 'flow', key: await keyOf(app, { kind: 'flow' }), never: (one) => !isOpenTo(one, 'flow') },
    { who: 'read-only', key: await keyOf(app, { kind: 'person', readOnly: true }), never: isCommand },
    {
      who: 'never-deletes',
      key: await keyOf(app, { kind: 'person', neverDeletes: true }),
      never: ({ takesAway }) => takesAway === true,
    },
  ];
  const made = [
    fn,
    flow,
    agent,
    invoked.runId,
    runId,
    webhook.id,
    schedule.id,
    trigger.id,
    mailbox.id,
    theirs.id,
    viewer.id,
  ];
  drawn = { ids: made.filter((id) => typeof id === 'string'), texts: ['CANARY', 'custom.order', 'Desk', '* * * * *'] };
}, 60_000);
afterAll(() => app?.close());

const judge = (reply: Reply, operation: RegisteredOperation, { who, never }: AnyCaller) => {
  const { status, body } = reply;
  const told = JSON.stringify(body) ?? '';
  const coded = status < 400 || (typeof body?.code === 'string' && typeof body?.detail === 'string');
  const fault = status >= 500 && !declared.has(body?.code);
  const isLet = status < 400 && never?.(operation) === true ? who : 'nobody';
  expect({
    operation: operation.name,
    status: fault ? status : 'fit',
    coded,
    tells: told.includes(secret),
    let: isLet,
  }).toEqual({
    operation: operation.name,
    status: 'fit',
    coded: true,
    tells: false,
    let: 'nobody',
  });
};

describe('whatever is sent, and whoever sends it', () => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s is answered or refused with a code, and tells no secret',
    async (name, operation) => {
      const calls = fc.record({ body: bodyOf(operation.input, drawn), by: fc.constantFrom(...callers) });
      await fc.assert(
        fc.asyncProperty(calls, async ({ body, by }) => judge(await app.call(name, body, by.key), operation, by)),
        { numRuns: runs, seed: 20_261_121 },
      );
    },
    60_000,
  );

  it('leaves everything at work: events still run triggers, and flows go on', async () => {
    const { fn, add, over, ok } = eventScene(app);
    const { id } = await add(await fn(), 'custom.alive');
    await ok('raise', { name: 'alive' });
    expect(await over(id)).toMatchObject([{ status: 'ok' }]);
    const target = await activeFunction(app, 'return 1');
    const flow = await activeFlow(app, [{ id: 'a', kind: 'run_function', settings: { function: target } }]);
    expect(await ranFlow(app, flow)).toMatchObject({ status: 'success' });
  }, 60_000);
});
