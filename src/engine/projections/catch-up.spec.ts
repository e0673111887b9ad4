import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { recorded } from '../../../test/support/given/given.js';
import type { EventStore } from '../../ports/event-store.port.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import { catchUp } from './catch-up.js';
import type { ProjectionFeed } from './projection-feed.js';

const events = { readAll: async () => [] } as unknown as EventStore;
const store = { flushSoon: () => undefined } as unknown as ReadStore;

function feedOf(work: Partial<Pick<ProjectionFeed, 'apply' | 'settle'>>): ProjectionFeed {
  const done = async () => undefined;
  const untilAvailable = (repeated: () => Promise<void>) => repeated();
  return {
    position: -1,
    reading: { types: [] },
    apply: done,
    settle: done,
    ...work,
    untilAvailable,
  } as unknown as ProjectionFeed;
}

it('lets the event loop turn between two pages', async () => {
  const pages = [
    Array.from({ length: 10_000 }, (_, position) => recorded('note', { type: 'Noted', data: {} }, position)),
  ];
  const long = { readAll: async () => pages.shift() ?? [] } as unknown as EventStore;
  const turned: boolean[] = [];
  let isTurned = false;
  setImmediate(() => {
    isTurned = true;
  });
  const feed = feedOf({
    apply: async () => {
      turned.push(isTurned);
    },
  });
  await catchUp(long, store, [feed], 10_000);
  expect(turned).toEqual([false, true]);
});

it.each(['apply', 'settle'] as const)('waits for all feeds if one fails in `%s`', async (step) => {
  const held = Promise.withResolvers<void>();
  const refused = async () => {
    throw new Error('The disk is full.');
  };
  let isSettled = false;
  const catching = catchUp(events, store, [feedOf({ [step]: refused }), feedOf({ [step]: () => held.promise })], 0);
  const outcome = catching.catch((error: Error) => {
    isSettled = true;
    return error.message;
  });
  await nextTurn();
  expect(isSettled).toBe(false);
  held.resolve();
  expect(await outcome).toBe('The disk is full.');
});
