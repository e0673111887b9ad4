import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { EventStore } from '../../ports/event-store.port.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import { catchUp } from './catch-up.js';
import type { ProjectionFeed } from './projection-feed.js';

const events = { readAll: async () => [] } as unknown as EventStore;
const store = { flushSoon: () => undefined } as unknown as ReadStore;

function feedOf(work: Partial<Pick<ProjectionFeed, 'apply' | 'settle'>>): ProjectionFeed {
  const done = async () => undefined;
  const untilAvailable = (repeated: () => Promise<void>) => repeated();
  return { position: -1, reading: {}, apply: done, settle: done, ...work, untilAvailable } as unknown as ProjectionFeed;
}

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
