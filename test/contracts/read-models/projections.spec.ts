import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { triggerRunsProjection } from '../../../projections/account-events/trigger-run.projection.js';
import { functionsProjection } from '../../../projections/functions/function.projection.js';
import { runsProjection } from '../../../projections/functions/run.projection.js';
import { mailUsesProjection } from '../../../projections/mailboxes/mail-use.projection.js';
import { projections } from '../../../projections/projections.js';
import { appSettingsProjection, envVarsProjection } from '../../../projections/secrets/env-var.projection.js';
import { inboundEmailsProjection } from '../../../projections/triggers/inbound-email.projection.js';
import { triggerUsesProjection } from '../../../projections/triggers/trigger-use.projection.js';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { triggerRunId } from '../../../src/areas/account-events/trigger-run/trigger-run.record.js';
import { ProjectionFeed } from '../../../src/engine/projections/projection-feed.js';
import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import { prunedRevision, revisionPruned } from '../../../src/kernel/event/pruned-revision.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import type { Projection } from '../../../src/kernel/record/projection.js';
import { recordCategories, recordKind } from '../../../src/kernel/record/record.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { runs } from '../../support/depth.js';
import { recorded } from '../../support/given/given.js';

let directory = '';
let store: EmbeddedReadStore;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'projections-'));
  store = new EmbeddedReadStore({ directory, patienceMs: 0 });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const fact = { functionName: 'f', version: 'v', source: 'api', starter: { kind: 'webhook', id: 'wh_1' } };
const runId = fc.constantFrom('run_1', 'run_2', 'run_3');
const runEvent = fc.oneof(
  runId.map((id) => ({ type: 'RunAccepted', data: { ...fact, runId: id, depth: 0 } })),
  fc.tuple(runId, fc.integer({ min: 1, max: 3 })).map(([id, attempt]) => ({
    type: 'RunStarted',
    data: { ...fact, runId: id, attempt, process: 'p', accepted: false },
  })),
  fc.tuple(runId, fc.integer({ min: 1, max: 3 }), fc.option(fc.constant('boom'))).map(([id, attempt, error]) => ({
    type: 'RunEnded',
    data: { runId: id, attempt, error, durationMs: 1, retryAt: null, logs: [{ at: 'now', level: 'info', text: 'x' }] },
  })),
  fc.nat(8).map((throughRevision) => ({
    type: 'RunsForgotten',
    data: { throughRevision, triggers: [{ triggerId: 'wh_1', at: '2030-01-01T00:00:00.000Z' }] },
  })),
);
const functionEvent = fc.oneof(
  fc.constant({ type: 'FunctionCreated', data: { name: 'f', description: '', code: '' } }),
  fc.string().map((description) => ({ type: 'FunctionDetailsChanged', data: { description } })),
  fc.constantFrom({ type: 'FunctionActivated', data: {} }, { type: 'FunctionDeleted', data: {} }),
);
const envVarEvent = fc.oneof(
  fc.string().map((description) => ({
    type: 'EnvVarSet',
    data: { description, allowedHosts: [], valueId: 'val_1', replaces: null },
  })),
  fc.constant({ type: 'EnvVarDeleted', data: { valueId: 'val_1' } }),
);
const appSettingEvent = fc.oneof(
  fc.string().map((value) => ({ type: 'AppSettingSet', data: { value } })),
  fc.constant({ type: 'AppSettingRemoved', data: {} }),
);
const mailAccountEvent = fc.oneof(
  fc.constant({
    type: 'MailAccountCreated',
    data: { name: 'm', host: 'h', port: 1, secure: true, passwordId: 'val_1' },
  }),
  fc.string().map((host) => ({ type: 'MailAccountChanged', data: { host } })),
  fc.option(fc.string()).map((error) => ({ type: 'MailAccountTested', data: { error } })),
  fc.constantFrom({ type: 'MailAccountDeactivated', data: {} }, { type: 'MailAccountDeleted', data: {} }),
);
const mailUseEvent = fc.oneof(
  fc.nat(9).map((count) => ({ type: 'MailPlacesTaken', data: { size: 1, hour: { startedAt: 'now', count } } })),
  fc.constantFrom(
    { type: 'MailSent', data: {} },
    { type: 'MailFailed', data: { error: 'no' } },
    { type: 'MailsForgotten', data: { oldestAt: null, last: { at: 'then', error: null } } },
  ),
);
const mailId = fc.constantFrom('mail_1', 'mail_2', 'mail_3');
const inboundEvent = fc.oneof(
  fc.tuple(mailId, fc.constantFrom('a', 'b')).map(([id, messageKey]) => ({
    type: 'InboundEmailReceived',
    data: { mailId: id, messageKey, size: 1, skip: null },
  })),
  fc.tuple(mailId, runId).map(([id, run]) => ({
    type: 'InboundEmailStarted',
    data: { mailId: id, runId: run, targetKind: 'account_function', targetRef: 'fn_1', rerun: false },
  })),
  mailId.map((id) => ({ type: 'InboundEmailSkipped', data: { mailId: id } })),
  mailId.map((id) => ({ type: 'InboundEmailDuplicated', data: { mailId: id, of: 'mail_1' } })),
  fc.tuple(mailId, fc.option(runId)).map(([id, run]) => ({
    type: 'InboundEmailFailed',
    data: { mailId: id, runId: run, why: 'target', error: 'gone' },
  })),
  fc.tuple(mailId, runId, fc.constantFrom(null, 'No.')).map(([id, run, error]) => ({
    type: 'InboundEmailRunsForgotten',
    data: { runs: [{ mailId: id, runId: run, error, over: [1, 2] }] },
  })),
  fc.tuple(fc.nat(8), fc.boolean()).map(([throughRevision, gone]) => ({
    type: 'InboundEmailsForgotten',
    data: { throughRevision, receivedCount: 7, lastReceivedAt: null, gone },
  })),
  fc.tuple(mailId, runEvent).map(([causationId, event]) => ({ ...event, causationId })),
);
const fired = (eventId: string, root: string, started: readonly string[], skipped: readonly string[]) => ({
  type: 'TriggersFired',
  data: { event: { id: eventId }, cause: null, root, started, skipped: [{ reason: 'rate', triggerIds: skipped }] },
});
const eventId = fc.integer({ min: 1, max: 4 }).map((n) => `e${n}`);
const runIdOfTrigger = fc.tuple(eventId, fc.constantFrom('t1', 't2')).map(([e, t]) => triggerRunId(e, t));
const triggerIds = fc.subarray(['t1', 't2', 't3']);
const triggerRunEvent = fc.oneof(
  fc.tuple(eventId, eventId, triggerIds, triggerIds).map(([id, root, started, skipped]) =>
    fired(
      id,
      root,
      started,
      skipped.filter((one) => !started.includes(one)),
    ),
  ),
  fc
    .tuple(runIdOfTrigger, fc.integer({ min: 1, max: 3 }), fc.constantFrom('ok', 'failed', null))
    .map(([id, attempt, status]) => ({
      type: 'TriggerRunsEnded',
      data: { runs: [{ runId: id, attempt, status, at: '2030-01-01T00:00:00.000Z' }] },
    })),
  fc.tuple(runIdOfTrigger, fc.constantFrom('target-missing', null)).map(([id, reason]) => ({
    type: 'TriggerRunsNotStarted',
    data: { runs: [{ runId: id, triggerId: 't1', reason }] },
  })),
  fc.nat(8).map((throughRevision) => ({
    type: 'TriggerRunsForgotten',
    data: { throughRevision, fired: [{ triggerId: 't1', count: 7, lastFiredAt: '2030-01-01T00:00:00.000Z' }] },
  })),
);
const logOf = (category: string, events: readonly { type: string; data: object; causationId?: string }[]) =>
  events.map(
    ({ causationId = null, ...event }, revision) =>
      recorded(category, event, revision, { causationId }) as unknown as RecordedEvent,
  );

/** Builds the read model from batches that end after these numbers of events, then from the rest. */
async function built(
  projection: Projection,
  generation: string,
  log: readonly RecordedEvent[],
  cuts: readonly number[],
) {
  const build = { projection: projection.name, generation };
  await store.discard(build, projection.collections);
  const feed = new ProjectionFeed([{ projection, build }], build, {} as EventStore, store);
  await feed.prepare();
  let from = 0;
  for (const cut of [...cuts, log.length].map((at) => Math.min(at, log.length)).sort((a, b) => a - b)) {
    const batch = log.slice(from, cut);
    const taking = feed.apply(batch, batch.at(-1)?.position ?? -1);
    store.flushSoon();
    setTimeout(() => store.flushSoon(), 0);
    await taking;
    from = cut;
  }
  return store.digest(build, projection.collections);
}

const named = (name: string) => projections.find((one) => one.name === name) as Projection;

describe.each([
  ['runs', runsProjection, 'run', runEvent],
  ['triggerUses', triggerUsesProjection, 'run', runEvent],
  ['inboundEmails', inboundEmailsProjection, 'inboundEmail', inboundEvent],
  ['triggerRuns', triggerRunsProjection, 'triggerRun', triggerRunEvent],
  ['functions', functionsProjection, 'function', functionEvent],
  ['envVars', envVarsProjection, 'envVar', envVarEvent],
  ['appSettings', appSettingsProjection, 'appSetting', appSettingEvent],
  ['mailAccounts', named('mailAccounts'), 'mailAccount', mailAccountEvent],
  ['mailUses', mailUsesProjection, 'mail', mailUseEvent],
] as const)('the projection %s', (_, projection, category, event) => {
  it('makes the same documents for any division of the log into batches', async () => {
    const cuts = fc.array(fc.nat(12), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event as fc.Arbitrary<{ type: string; data: object }>, { maxLength: 12 }),
        cuts,
        async (events, at) => {
          const log = logOf(category, events);
          const whole = await built(projection, 'whole', log, []);
          expect(await built(projection, 'cut', log, at)).toBe(whole);
        },
      ),
      { numRuns: runs(100) },
    );
  }, 60_000);
});

describe('the projection functions, once', () => {
  it('removes a record that is created again and removed within a later batch', async () => {
    const created = { type: 'FunctionCreated', data: { name: 'f', description: '', code: '' } };
    const log = logOf('function', [created, created, { type: 'FunctionDeleted', data: {} }]);
    const whole = await built(functionsProjection, 'whole', log, []);
    expect(await built(functionsProjection, 'cut', log, [1])).toBe(whole);
  });
});

describe('every projection', () => {
  it('that stores documents of records is declared in a table of contents', () => {
    const kept = recordCategories().filter((category) => recordKind(category)?.collection !== undefined);
    const held = projections.map(({ recordsOf }) => recordsOf);
    expect(kept.length).toBeGreaterThan(10);
    expect(kept.filter((category) => !held.includes(category))).toEqual([]);
  });

  it.each(projections.map((projection) => [projection.name, projection] as const))(
    '%s ignores the placeholders of pruned events in a transferred log',
    (_, { reads, changes }) => {
      const read = 'types' in reads ? reads.types.filter((type) => type === revisionPruned) : reads.categories;
      for (const category of read) {
        const stream = streamOf(category, 'ws_1', 'one');
        const event = { ...prunedRevision(stream, 'id', '2030-01-01T00:00:00.000Z'), stream, revision: 0, position: 0 };
        expect(changes(event)).toEqual([]);
      }
    },
  );
});
