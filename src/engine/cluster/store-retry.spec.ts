import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { storeRetryOf } from '../../../test/support/given/store-retry.js';
import { EventStoreUnavailable } from '../../ports/event-store.port.js';
import type { StoreRetry } from './store-retry.js';

let clock: MadeUpClock;
let away: boolean;
let probes: number;
let storeRetry: StoreRetry;
beforeEach(() => {
  clock = new MadeUpClock();
  away = true;
  probes = 0;
  const events = async () => {
    probes += 1;
    if (away) throw new EventStoreUnavailable('It is away.');
  };
  storeRetry = storeRetryOf(clock, { events });
});

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function pass(ms: number, stepMs = 50): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    clock.advance(stepMs);
    await settle();
  }
}

function waiting(count: number) {
  const tries = Array.from({ length: count }, () => 0);
  const ends: number[] = [];
  for (const at of tries.keys()) {
    const work = async () => {
      tries[at] = (tries[at] ?? 0) + 1;
      if (away) throw new EventStoreUnavailable('It is away.');
    };
    void storeRetry.untilAvailable(work).then(() => ends.push(clock.now()));
  }
  return { tries, ends };
}

describe('work that waits for a store', () => {
  it('continues within a second of its return, however long it was away, and not all at once', async () => {
    const { tries, ends } = waiting(100);
    await settle();
    await pass(600_000, 10_000);
    expect(ends).toEqual([]);
    away = false;
    const back = clock.now();
    await pass(1_000);
    expect(ends).toHaveLength(100);
    expect(Math.max(...ends) - back).toBeLessThanOrEqual(1_000);
    // Each piece of work was tried once during the outage and once after it. At most 20 of them ended at the same time.
    expect(new Set(tries)).toEqual(new Set([2]));
    const inOneMoment = Map.groupBy(ends, (end) => end);
    expect(Math.max(...[...inOneMoment.values()].map(({ length }) => length))).toBeLessThanOrEqual(20);
  });

  it('probes the store once for any number of waiters', async () => {
    waiting(100);
    await settle();
    probes = 0;
    await pass(1_000);
    expect(probes).toBeLessThanOrEqual(5);
  });

  it('is retried less and less often, at most once in 0.9 s, if it fails although its store reports that it is available', async () => {
    away = false;
    let tries = 0;
    const stop = new AbortController();
    const work = async () => {
      tries += 1;
      throw new EventStoreUnavailable('The disk is full.');
    };
    const ended = storeRetry.untilAvailable(work, stop.signal).catch((error: unknown) => error);
    await settle();
    await pass(9_000);
    expect(tries).toBeLessThanOrEqual(15);
    stop.abort();
    expect(await ended).toEqual(new EventStoreUnavailable('The disk is full.'));
  });

  it('ends when its caller is stopping', async () => {
    const stop = new AbortController();
    const ended = storeRetry.untilAvailable(
      () => Promise.reject(new EventStoreUnavailable('It is away.')),
      stop.signal,
    );
    const error = ended.catch((caught: unknown) => caught);
    await settle();
    stop.abort();
    expect(await error).toBeInstanceOf(EventStoreUnavailable);
  });

  it('does not wait for other errors', async () => {
    await expect(storeRetry.untilAvailable(() => Promise.reject(new Error('No.')))).rejects.toThrow('No.');
    expect(probes).toBe(0);
  });
});
