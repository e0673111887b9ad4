import { describe, expect, it } from '@jest/globals';
import type { EventStore, Subscriber } from '../../ports/event-store.port.js';
import { LiveEvents } from './live-events.js';

function given(failures = 0) {
  const seen = { subscribed: [] as Subscriber[], stopped: 0, began: [] as number[] };
  const log = {
    head: async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('away');
      return 7;
    },
    subscribe: (subscriber: Subscriber) => {
      seen.subscribed.push(subscriber);
      const stop = async () => {
        seen.stopped += 1;
      };
      return { position: 7, stop };
    },
  } as unknown as EventStore;
  const handle = async () => undefined;
  const live = new LiveEvents(log, { categories: ['a'], handle, began: (after) => seen.began.push(after) });
  return { live, seen, handle };
}

describe('live events', () => {
  it('are followed from the head of the log, once however often they are requested', async () => {
    const { live, seen, handle } = given();
    await Promise.all([live.begin(), live.begin()]);
    await live.begin();
    expect([seen.began, seen.subscribed]).toEqual([[7], [{ categories: ['a'], handle, after: 7 }]]);
  });

  it('are followed at the next attempt, if the log was away', async () => {
    const { live, seen } = given(1);
    await expect(live.begin()).rejects.toThrow('away');
    await live.begin();
    expect([seen.began, seen.subscribed.length]).toEqual([[7], 1]);
  });

  it('are followed no longer once stopped, also while the start is in progress', async () => {
    const { live, seen } = given();
    const beginning = live.begin();
    await live.stop();
    await beginning;
    expect(seen.stopped).toBe(1);
  });

  it('need not have started to be stopped', async () => {
    const { live, seen } = given();
    await live.stop();
    expect([seen.subscribed, seen.stopped]).toEqual([[], 0]);
  });
});
