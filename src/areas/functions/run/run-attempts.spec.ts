import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { eventually } from '../../../../test/support/eventually.js';
import { storeRetryOf } from '../../../../test/support/given/store-retry.js';
import type { Metrics } from '../../../engine/health/metrics.js';
import type { Reads } from '../../../engine/scopes/reads.js';
import { EventStoreUnavailable } from '../../../ports/event-store.port.js';
import type { Sandbox, SandboxOutcome } from '../../../ports/offloaded/sandbox.port.js';
import { ReadStoreUnavailable } from '../../../ports/read-store.port.js';
import { TextsUnavailable } from '../../../ports/texts.port.js';
import type { CtxTable } from '../ctx/ctx-table.api.js';
import { DataRuns } from '../data-function/data-runs.api.js';
import type { RunEvent } from './run.record.js';
import { RunAttempts } from './run-attempts.js';
import type { RunContext } from './run-context.js';
import { RunEnds } from './run-ends.js';
import type { RunJournal, RunOrigin } from './run-journal.js';
import type { RunParams } from './run-params.js';
import type { RunRequest } from './run-request.api.js';
import type { RunStarts } from './run-starts.js';

const unused = null as never;
const code = { id: 'fn_1', workspaceId: 'ws', name: 'books', isActive: true, maxRetries: 0, timeout: 1_000 };
const data = { ...code, projectId: 'prj_1', definition: { kind: 'list' } };
const request: RunRequest = {
  workspaceId: 'ws',
  functionId: 'fn_1',
  runId: 'run_1',
  params: {},
  source: 'api',
  starter: { kind: 'webhook', id: 'wh_1' },
  actor: { kind: 'webhook', id: 'wh_1', name: 'Webhook' },
  correlationId: 'run_1',
  causationId: null,
  depth: 0,
};

let written: RunEvent[];
let largest: number;
let clock: MadeUpClock;
beforeEach(() => {
  written = [];
  clock = new MadeUpClock();
  largest = Number.POSITIVE_INFINITY;
});

interface Scene {
  readonly fn: object;
  readonly program?: object;
  readonly outcome?: SandboxOutcome;
  readonly fault?: Error;
  readonly check?: () => Promise<void>;
  /** Number of ends that cannot be recorded. */
  readonly lostEnds?: number;
}

function attemptsOf({ fn, program = { ok: true }, outcome, fault, check, lostEnds = 0 }: Scene): RunAttempts {
  let lost = 0;
  const journal = {
    write: async (_: RunOrigin, events: readonly RunEvent[]) => {
      if (events.some(({ type }) => type === 'RunEnded') && lost++ < lostEnds) throw new EventStoreUnavailable('away');
      if (JSON.stringify(events).length > largest) throw new Error('The append is too large.');
      written.push(...events);
      return { revision: written.length - 1, position: written.length - 1 };
    },
    at: async (_: RunOrigin, revision: number) => written[revision],
  } as unknown as RunJournal;
  const secrets = { hiding: { json: async (value: unknown) => ({ value, guessable: false }) } };
  const ends = new RunEnds(journal, clock, storeRetryOf(clock), { hasEnded: () => undefined } as never);
  const reads = { get: () => Promise.reject(fault) } as unknown as Reads;
  return new RunAttempts(
    { functionOf: async () => fn, around: async () => ({ program, secrets }) } as unknown as RunContext,
    { check: check ?? (async () => undefined) } as unknown as RunParams,
    { claim: async (_: RunOrigin, started: RunEvent) => void written.push(started) } as unknown as RunStarts,
    ends,
    unused,
    { run: async () => outcome } as unknown as Sandbox,
    new DataRuns(unused, reads, unused, unused, unused),
    { capabilitiesFor: () => [] } as unknown as CtxTable,
    clock,
    { value: 'process_1' },
    { run: () => undefined } as unknown as Metrics,
  );
}

/** Moves the clock until the end that is recorded in the background is recorded. */
const untilEnded = () =>
  eventually(
    async () => {
      clock.advance(1_000);
      return ends().length;
    },
    (count) => count > 0,
  );
const ends = () => written.flatMap((event) => (event.type === 'RunEnded' ? [event.data] : []));

describe('an attempt', () => {
  it('of a data function ends although the read store is unavailable, and its caller may try again', async () => {
    const attempts = attemptsOf({ fn: data, fault: new ReadStoreUnavailable('away') });
    const { report } = await attempts.attempt(request, 1, true);
    expect(report).toMatchObject({ ok: false, refusal: { code: 'store-unavailable' } });
    expect(ends()).toMatchObject([{ runId: 'run_1', error: expect.stringContaining('read store') }]);
  });

  it('of a data function ends after a fault, and reveals nothing of it', async () => {
    const { report } = await attemptsOf({ fn: data, fault: new Error('canary') }).attempt(request, 1, true);
    expect(report).toMatchObject({ ok: false, refusal: undefined });
    expect(ends()).toMatchObject([{ error: expect.stringContaining('fault of the service') }]);
    expect(JSON.stringify([report, written])).not.toContain('canary');
  });

  it('ends at once if the stored code is not accepted any more', async () => {
    const program = { ok: false, line: 3, message: 'Unexpected token' };
    await attemptsOf({ fn: code, program }).attempt(request, 1, true);
    expect(ends()).toMatchObject([{ error: expect.stringContaining('no longer accepted: Unexpected token (line 3)') }]);
  });

  it('ends also if its end cannot be recorded at once', async () => {
    const attempts = attemptsOf({ fn: { ...code, isActive: false }, lostEnds: 1 });
    await expect(attempts.attempt(request, 1, false)).rejects.toMatchObject({ code: 'run-not-recorded' });
    await untilEnded();
    expect(ends()).toMatchObject([{ runId: 'run_1', error: expect.stringContaining('INACTIVE'), retryAt: null }]);
  });

  it('ends without its logs if they are too large for the log of events', async () => {
    largest = 2_000;
    const logs = [{ at: '2026-01-01T00:00:00.000Z', level: 'info', text: '\u0001'.repeat(1_000) }] as const;
    const attempts = attemptsOf({
      fn: code,
      program: { ok: true, program: unused },
      outcome: { ok: true, result: 1, logs },
    });
    expect((await attempts.attempt(request, 1, true)).report).toMatchObject({ ok: true, result: 1, logs });
    expect(ends()).toMatchObject([{ error: null, logs: [{ text: 'The log of this run could not be stored.' }] }]);
  });
});

describe('an attempt after the first, with a waiting caller, that cannot be prepared', () => {
  const unprepared = (error: Error, lostEnds = 0) =>
    attemptsOf({ fn: code, check: () => Promise.reject(error), lostEnds });

  it.each([
    ['a store is unavailable', new ReadStoreUnavailable('away'), 'read store', 'store-unavailable'],
    ['a text cannot be read', new TextsUnavailable('canary'), 'store of texts', 'store-unavailable'],
    ['the service has a fault', new Error('canary'), 'fault of the service', undefined],
  ])('ends the run if %s', async (_, fault, sentence, refusedAs) => {
    const { report, retryInMs } = await unprepared(fault).attempt(request, 2, false);
    expect([report, retryInMs]).toEqual([expect.objectContaining({ ok: false }), undefined]);
    expect('refusal' in report && report.refusal?.code).toBe(refusedAs);
    expect(ends()).toMatchObject([
      { runId: 'run_1', attempt: 2, error: expect.stringContaining(sentence), retryAt: null },
    ]);
    expect(JSON.stringify([report, written])).not.toContain('canary');
  });

  it('ends the run in the background if the event store is unavailable', async () => {
    const attempts = unprepared(new EventStoreUnavailable('away'), 2);
    await expect(attempts.attempt(request, 2, false)).rejects.toMatchObject({ code: 'run-not-recorded' });
    await untilEnded();
    expect(ends()).toMatchObject([{ runId: 'run_1', attempt: 2, retryAt: null }]);
  });

  it('records nothing before the first attempt, or if the run is queued', async () => {
    const fault = new ReadStoreUnavailable('away');
    await expect(unprepared(fault).attempt(request, 1, false)).rejects.toThrow(fault);
    await expect(unprepared(fault).attempt(request, 2, true)).rejects.toThrow(fault);
    expect(written).toEqual([]);
  });
});
