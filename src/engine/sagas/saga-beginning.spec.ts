import { describe, expect, it } from '@jest/globals';
import { recorded, specAt } from '../../../test/support/given/given.js';
import { auditSealed } from '../../kernel/audit-chain/signed-head.js';
import type { EventStore, ReadAllOptions } from '../../ports/event-store.port.js';
import { workerKinds } from '../cluster/worker.js';
import type { Saga } from './saga.js';
import { sagaBeginning } from './saga-beginning.js';

const minutesAgo = (minutes: number) => new Date(Date.parse(specAt) - minutes * 60_000).toISOString();

/** Age of an event in minutes, or of an event that sealed the audit. */
type Aged = number | { readonly seal: number };

/** A log with these events, from the first to the newest. */
function logOf(ages: readonly Aged[]): EventStore {
  const all = ages.map((aged, position) => {
    const [type, age] = typeof aged === 'number' ? (['ThingDone', aged] as const) : ([auditSealed, aged.seal] as const);
    return { ...recorded('thing', { type, data: {} }, position, { at: minutesAgo(age) }), position };
  });
  const readAll = async ({ from, types, limit, direction }: ReadAllOptions) => {
    const inOrder =
      direction === 'backward' ? all.slice(0, from ?? all.length).toReversed() : all.slice((from ?? -1) + 1);
    return inOrder.filter(({ type }) => types?.includes(type) ?? true).slice(0, limit);
  };
  return { readAll } as unknown as EventStore;
}

const saga = { name: 'spec', reads: ['ThingDone'], skipsHistory: true } as unknown as Saga;
const inHour = (count: number) => Array.from({ length: count }, () => 1);
const old = { seal: 600 };

describe('a saga that skips history and has no checkpoint', () => {
  it.each([
    ['an empty log', [], -1],
    ['a log of the last hour', [59, 30, 0], -1],
    ['a log with older events', [old, 61, 59, 0], 1],
    ['a log whose newest event is old', [{ seal: 700 }, 601, 559, 500], 1],
    ['4,000 events of the last hour', [old, ...inHour(4_000)], 0],
    ['6,000 events of the last hour', [old, ...inHour(6_000)], 1_000],
  ])('begins in %s after the right position', async (_, ages, after) => {
    expect(await sagaBeginning(saga, -1, logOf(ages))).toBe(after);
  });
});

describe('a saga that skips history, on a log to which no process with sagas has reacted before', () => {
  it.each([
    ['that was never sealed', [600, 500, 61, 59, 0]],
    ['that was first sealed within the hour', [600, 500, 61, { seal: 59 }, 30, { seal: 0 }]],
    ['of 6,000 events that was never sealed', [600, ...inHour(6_000)]],
  ])('skips nothing of one %s', async (_, ages) => {
    expect(await sagaBeginning(saga, -1, logOf(ages))).toBe(-1);
  });

  it('is right about it, because the processes that run sagas are those that seal the audit', () => {
    expect(workerKinds.seal.role).toBe(workerKinds.saga.role);
  });
});

it.each([
  ['that has a checkpoint', saga, 2],
  ['that skips no history', { ...saga, skipsHistory: undefined } as unknown as Saga, -1],
])('a saga %s begins there', async (_, one, checkpoint) => {
  expect(await sagaBeginning(one, checkpoint, logOf([600, 500, 400, 0]))).toBe(checkpoint);
});
