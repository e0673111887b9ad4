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

let clock: MadeUpClock;
let written: RunEvent[];
let starts: RunStarts;
beforeEach(() => {
  clock = new MadeUpClock();
  written = [];
  const journal = {
    write: async (_: RunOrigin, events: readonly RunEvent[]) => {
      if (events.some(({ type }) => type === 'RunStarted'))
        throw refusalOf('store-unavailable', { store: 'event store' });
      written.push(...events);
    },
    holds: async () => false,
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
});
