import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import '../../../src/app.module.js';
import { allOperations, type RegisteredOperation } from '../../../src/engine/operation/operation.js';
import { type CallerKind, type Permission, permissionsOfRole } from '../../../src/kernel/callers/caller.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { Reply, TestApp } from '../../support/app.js';
import { eventScene } from '../../support/automations/event-triggers.js';
import { activeFlow, activeFunction, endedRun, ranFlow } from '../../support/automations/flows.js';
import { isShallow } from '../../support/depth.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { bodyOf, type Drawn } from '../../support/random-commands/any-body.js';
import { wrongBodies } from '../../support/random-commands/wrong-bodies.js';
import { sharedApp } from '../../support/shared-app.js';

/** The number of random bodies for each operation. */
const runs = Number(process.env['ANY_BODY_RUNS'] ?? (isShallow ? 3 : 25));
const isDeep = runs > 25;
/** In the first tier, one in 29 wrong bodies is sent, with others each time. */
const oneIn = isShallow ? 29 : 1;
const patience = isDeep ? 30 * 60_000 : 60_000;
const declared = new Set(['store-unavailable', 'assistant-unavailable', 'assistant-not-configured']);
/** Part of every secret in the scene. */
const secret = 'canary-1f9d2c7be8';
// Operations that delete run last, because the others need the records.
const operations = [...allOperations()].sort((a, b) => Number(a.takesAway ?? false) - Number(b.takesAway ?? false));

/** A caller, and the operations that must never succeed with its key. */
interface AnyCaller {
  readonly who: string;
  readonly key: string;
  readonly never?: (operation: RegisteredOperation) => boolean;
}

/** Refusals that still record something: a failed run is on record. */
const workDone = new Set(['function-failed']);

/** Reports the operations whose first event was recorded since the last look. */
class Recordings {
  private head = -1;
  /** Correlation ids seen before. Later events with one of them, for example by a saga, are consequences. */
  private readonly known = new Set<string>();

  constructor(private readonly store: EventStore) {}

  async since(): Promise<readonly string[]> {
    const began: string[] = [];
    while (this.head < (await this.store.head())) {
      const page = await this.store.readAll({ from: this.head, limit: 500 });
      for (const { metadata } of page) {
        if (!this.known.has(metadata.correlationId)) began.push(metadata.operation);
        this.known.add(metadata.correlationId);
      }
      this.head = page.at(-1)?.position ?? (await this.store.head());
    }
    return began;
  }
}

let app: TestApp;
let callers: readonly AnyCaller[];
let drawn: Drawn;

beforeAll(async () => {
  app = await sharedApp();
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
  // Random calls get the id of this member, not of a caller, because they may change the member's role.
  const member = await person(app, 'viewer');
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
    member.id,
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

/** Whether a message shows a missing value or a value of an unexpected type. */
const isOdd = ({ detail, errors }: { readonly detail?: string; readonly errors?: unknown }) =>
  /\b(?:undefined|NaN|Infinity)\b|\[object /.test(`${detail}${JSON.stringify(errors ?? [])}`);

describe('one wrong thing in a body, in every place', () => {
  let sent = 0;
  let drawnBodies = Math.floor(Math.random() * oneIn);
  let recorded: Recordings;
  beforeAll(async () => {
    recorded = new Recordings(app.app.get(EventStore, { strict: false }));
    await recorded.since();
  });
  afterAll(() => {
    process.stdout.write(`${sent} bodies with one wrong thing, to ${operations.length} operations\n`);
  });

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s refuses invalid values, and records nothing when it refuses',
    async (name, { input }) => {
      const wrong: string[] = [];
      for (const { what, body, misfits } of wrongBodies(input, drawn.ids, isDeep)) {
        drawnBodies += 1;
        if (drawnBodies % oneIn !== 0) continue;
        const { status, body: told } = await app.call(name, body);
        sent += 1;
        if (status >= 500 && !declared.has(told?.code)) wrong.push(`${what}: ${status}`);
        if (misfits && status !== 400) wrong.push(`${what}: does not fit, and is answered ${status}`);
        if (status === 400 && !(told.errors?.length > 0)) wrong.push(`${what}: ${told.code} names no path`);
        if (status >= 400 && isOdd(told)) wrong.push(`${what}: ${told.detail}`);
        const began = (await recorded.since()).includes(name);
        if (began && status >= 400 && !workDone.has(told?.code)) wrong.push(`${what}: ${status}, and recorded`);
      }
      expect(wrong).toEqual([]);
    },
    patience,
  );
});

describe('a dry run of any call by any caller', () => {
  let recorded: Recordings;
  beforeAll(async () => {
    recorded = new Recordings(app.app.get(EventStore, { strict: false }));
    await recorded.since();
  });

  it.each(
    operations.filter(({ effect }) => effect === 'command').map((operation) => [operation.name, operation] as const),
  )(
    '%s records nothing, and predicts whether the call is refused',
    async (name, operation) => {
      const calls = fc.record({ body: bodyOf(operation.input, drawn), by: fc.constantFrom(...callers) });
      await fc.assert(
        fc.asyncProperty(calls, async ({ body, by }) => {
          const tried = await app.call(name, body, by.key, { 'x-dry-run': 'true' });
          judge(tried, operation, by);
          expect(await recorded.since()).not.toContain(name);
          const done = await app.call(name, body, by.key);
          await recorded.since();
          // A trial does not call outside systems, so it cannot know how the call would end.
          if (tried.status === 200 && tried.body.answer === null && tried.body.outside.length > 0) return;
          // The answer of a success may have a field `code` as well.
          const refusalOf = ({ status, body }: Reply) => (status < 400 ? undefined : body?.code);
          expect([name, tried.status < 400, refusalOf(tried)]).toEqual([name, done.status < 400, refusalOf(done)]);
        }),
        { numRuns: Math.ceil(runs / 3), seed: 20_261_123 },
      );
    },
    patience,
  );
});

describe('any call by any caller', () => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s is answered or refused with a code, and reveals no secret',
    async (name, operation) => {
      const calls = fc.record({ body: bodyOf(operation.input, drawn), by: fc.constantFrom(...callers) });
      await fc.assert(
        fc.asyncProperty(calls, async ({ body, by }) => judge(await app.call(name, body, by.key), operation, by)),
        { numRuns: runs, seed: 20_261_121 },
      );
    },
    patience,
  );

  it('does not break the service: events still run triggers, and flows continue', async () => {
    const { fn, add, over, ok } = eventScene(app);
    const { id } = await add(await fn(), 'custom.alive');
    await ok('raise', { name: 'alive' });
    expect(await over(id)).toMatchObject([{ status: 'ok' }]);
    const target = await activeFunction(app, 'return 1');
    const flow = await activeFlow(app, [{ id: 'a', kind: 'run_function', settings: { function: target } }]);
    expect(await ranFlow(app, flow)).toMatchObject({ status: 'success' });
  }, 60_000);
});
