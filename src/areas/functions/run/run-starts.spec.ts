import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { eventually } from '../../../../test/support/eventually.js';
import { refusalOf } from '../../../engine/refusals/engine.refusals.js';
import type { RunEvent } from './run.record.js';
import type { RunJournal, RunOrigin } from './run-journal.js';
import { type RunStarted, RunStarts } from './run-starts.js';

const origin: RunOrigin = {
  workspaceId: 'ws',
  functionId: 'fn_1',
  runId: 'run_1',
  actor: { kind: 'webhook', id: 'wh_1', name: 'Webhook' },
  correlationId: 'run_1',
  causationId: null,
};
const started = (attempt: number): RunStarted => ({
  type: 'RunStarted',
  data: {
    runId: 'run_1',
    functionName: 'books',
    version: 'v',
    source: 'api',
    starter: { kind: 'webhook', id: 'wh_1' },
    attempt,
    process: 'process_1',
    accepted: false,
  },
});

const ofOther: RunStarted = { ...started(1), data: { ...started(1).data, process: 'process_gone' } };

let clock: MadeUpClock;
let written: RunEvent[];
let found: RunEvent | undefined;
let starts: RunStarts;
beforeEach(() => {
  clock = new MadeUpClock();
  [written, found] = [[], undefined];
  const journal = {
    write: async (_: RunOrigin, events: readonly RunEvent[]) => {
      if (events.some(({ type }) => type === 'RunStarted'))
        throw refusalOf('store-unavailable', { store: 'event store' });
      written.push(...events);
    },
    find: async () => found,
  } as unknown as RunJournal;
  starts = new RunStarts(journal, clock, { value: 'process_1' });
});

describe('an attempt with a waiting caller whose start could not be recorded', () => {
  it('ends the run if it is not the first, once the start can no longer be recorded', async () => {
    await expect(starts.claim(origin, started(2))).rejects.toMatchObject({ code: 'store-unavailable' });
    clock.advance(14_999);
    expect(written).toEqual([]);
    clock.advance(1);
    await eventually(
      async () => written.length,
      (count) => count > 0,
    );
    expect(written).toMatchObject([{ type: 'RunEnded', data: { runId: 'run_1', attempt: 2, retryAt: null } }]);
  });

  it('leaves nothing behind if it is the first', async () => {
    await expect(starts.claim(origin, started(1))).rejects.toMatchObject({ code: 'store-unavailable' });
    clock.advance(15_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect([written, clock.waits]).toEqual([[], []]);
  });

  it.each([
    ['ends the run, because it was recorded,', started(1), 1],
    ['does not end the run, because it was recorded for another process,', ofOther, 0],
  ])('%s when that is known', async (_, recorded, ends) => {
    found = recorded;
    await expect(starts.claim(origin, started(1))).rejects.toMatchObject({ code: 'store-unavailable' });
    clock.advance(15_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(written.map(({ type }) => type)).toEqual(Array(ends).fill('RunEnded'));
  });
});

describe('an attempt with a waiting caller whose start is recorded already', () => {
  /** A journal that contains the start of another process. */
  let reads: number;
  beforeEach(() => {
    reads = 0;
    const journal = {
      write: async () => ({ revision: 0, position: 0 }),
      at: async () => {
        reads += 1;
        return ofOther;
      },
    } as unknown as RunJournal;
    starts = new RunStarts(journal, clock, { value: 'process_1' });
  });

  it('is not made for a repeated call, and the other process or its end decides about the run', async () => {
    const claim = () => starts.claim(origin, started(1), { repeatable: true });
    await expect(claim()).rejects.toMatchObject({ code: 'idempotency-key-in-progress' });
    await expect(claim()).rejects.toMatchObject({ code: 'idempotency-key-in-progress' });
    expect(clock.waits).toEqual([]);
  });

  it('costs no read if nobody can have begun the attempt before', async () => {
    await starts.claim(origin, started(1));
    await starts.claim(origin, started(2), { repeatable: true });
    expect(reads).toBe(0);
  });
});
