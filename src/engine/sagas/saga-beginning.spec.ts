import { describe, expect, it } from '@jest/globals';
import { recorded, specAt } from '../../../test/support/given/given.js';
import type { EventStore, ReadAllOptions } from '../../ports/event-store.port.js';
import type { Saga } from './saga.js';
import { sagaBeginning } from './saga-beginning.js';

const minutesAgo = (minutes: number) => new Date(Date.parse(specAt) - minutes * 60_000).toISOString();

/** A log whose events are this many minutes old, from the first to the newest. */
function logOf(ages: readonly number[]): EventStore {
  const all = ages.map((age, position) => ({
    ...recorded('thing', { type: 'ThingDone', data: {} }, position, { at: minutesAgo(age) }),
    position,
  }));
  const readAll = async ({ from = all.length, limit }: ReadAllOptions) =>
    all.slice(0, from).toReversed().slice(0, limit);
  return { readAll } as unknown as EventStore;
}

const saga = { name: 'spec', reads: ['ThingDone'], skipsHistory: true } as unknown as Saga;
const inHour = (count: number) => Array.from({ length: count }, () => 1);

describe('a saga that skips history and has no checkpoint', () => {
  it.each([
    ['an empty log', [], -1],
    ['a log of the last hour', [59, 30, 0], -1],
    ['a log with older events', [600, 61, 59, 0], 1],
    ['a log whose newest event is old', [700, 601, 559, 500], 1],
    ['4,000 events of the last hour', [600, ...inHour(4_000)], 0],
    ['6,000 events of the last hour', inHour(6_000), 999],
  ])('begins in %s after the right position', async (_, ages, after) => {
    expect(await sagaBeginning(saga, -1, logOf(ages))).toBe(after);
  });
});

it.each([
  ['that has a checkpoint', saga, 2],
  ['that skips no history', { ...saga, skipsHistory: undefined } as unknown as Saga, -1],
])('a saga %s begins there', async (_, one, checkpoint) => {
  expect(await sagaBeginning(one, checkpoint, logOf([600, 500, 400, 0]))).toBe(checkpoint);
});
