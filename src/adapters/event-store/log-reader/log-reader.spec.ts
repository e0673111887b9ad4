import fc from 'fast-check';
import { eventually, idsOf, Recorder } from '../../../../test/contracts/event-store/event-store-scene.js';
import { takes } from '../../../../test/support/clocks/delays.js';
import { runs } from '../../../../test/support/depth.js';
import { LogInMemory } from '../../../../test/support/given/log-in-memory.js';
import type { EventFilter, Subscriber, Subscription } from '../../../ports/event-store.port.js';
import { LogReader } from './log-reader.js';

const types = ['A', 'B', 'C', 'D'] as const;
const some = (count: number) => Array.from({ length: count }, (_, n) => types[n % types.length] ?? 'A');

describe('the reader of the log', () => {
  let log: LogInMemory;
  let reader: LogReader;
  beforeEach(() => {
    log = new LogInMemory();
    reader = new LogReader(log);
  });
  afterEach(() => reader.close());

  const follow = (filter: EventFilter = {}, after = -1) => {
    const recorder = new Recorder();
    return { recorder, subscription: reader.subscribe({ ...filter, after, handle: recorder.handle }) };
  };
  const hasAll = (followed: ReturnType<typeof follow>) => followed.subscription.position === log.events.length - 1;

  function stuck(filter: EventFilter = {}, after = -1) {
    const recorder = new Recorder();
    const door = Promise.withResolvers<void>();
    const handle: Subscriber['handle'] = async (events, upTo) => {
      await door.promise;
      await recorder.handle(events, upTo);
    };
    return { recorder, subscription: reader.subscribe({ ...filter, after, handle }), letGo: door.resolve };
  }

  it('reads history once for all who begin together, with any filters', async () => {
    log.append(some(1_000));
    const followed = [
      {},
      { types: ['A'] },
      { types: ['B', 'C'] },
      { categories: ['webhook'] },
      { workspaceId: 'ws_1' },
    ];
    const all = followed.map((filter) => ({ filter, ...follow(filter) }));
    await eventually(() => all.every(hasAll), 'the end of the log');
    for (const { filter, recorder } of all) expect(recorder.events).toEqual(log.matching(filter));
    expect(log.pages.map(({ after }) => after)).toEqual([-1, ...Array.from({ length: 9 }, (_, n) => n * 100 + 99)]);
    expect(log.opened).toBe(1);
  });

  it('reads only the requested types, if all readers of history request types', async () => {
    log.append(some(1_000));
    const all = [follow({ types: ['A'] }), follow({ types: ['A', 'B'] })];
    await eventually(() => all.every(hasAll), 'the end of the log');
    for (const { filter } of log.pages) expect(filter).toEqual({ types: ['A', 'B'] });
    expect(log.pages).toHaveLength(5);
  });

  it('waits a moment with a long history, and reads its beginning again for others that need more of it', async () => {
    log.append(some(1_000));
    const first = follow({ types: ['A'] });
    await eventually(() => log.pages.length === 1, 'the first page');
    const second = follow({ types: ['B'] });
    await eventually(() => hasAll(first) && hasAll(second), 'the end of the log');
    for (const { filter } of log.pages.slice(1)) expect(filter).toEqual({ types: ['A', 'B'] });
    expect(log.pages).toHaveLength(6);
    expect(second.recorder.events).toEqual(log.matching({ types: ['B'] }));
  });

  it('reports once, at its end, to readers that get nothing of a long history', async () => {
    log.append(some(1_000));
    const [never, all] = [follow({ types: ['Never'] }), follow()];
    await eventually(() => hasAll(never) && hasAll(all), 'the end of the log');
    expect(never.recorder.batches).toEqual([{ events: [], caughtUpTo: 999 }]);
  });

  it('does not let others wait long for one that is slow in history, which continues later', async () => {
    reader = new LogReader(log, 20);
    log.append(some(1_000));
    const slow = stuck();
    const others = [follow(), follow({ types: ['A'] }), follow({ types: ['Never'] })];
    await eventually(() => others.every(hasAll), 'the others to be at the end of the log');
    log.append(some(500));
    await eventually(() => others.every(hasAll), 'the others to get what comes');
    slow.letGo();
    await eventually(() => hasAll(slow), 'the slow one to be at the end of the log');
    expect(slow.recorder.events).toEqual(log.events);
    for (const [n, filter] of [{}, { types: ['A'] }, { types: ['Never'] }].entries()) {
      expect(others[n]?.recorder.events).toEqual(log.matching(filter));
    }
  });

  it('holds a limited part of the log for one that is slow at the tail', async () => {
    const other = follow();
    const slow = stuck();
    await eventually(() => log.isFollowed, 'the tail');
    for (let n = 0; n < 100; n += 1) {
      log.append(some(100));
      await eventually(() => hasAll(other), 'the other');
    }
    const pages = log.pages.length;
    expect(slow.subscription.position).toBe(-1);
    slow.letGo();
    await eventually(() => hasAll(slow), 'the slow one');
    expect(log.pages.length).toBeGreaterThan(pages + 90);
    expect(slow.recorder.events).toEqual(log.events);
    expect(other.recorder.events).toEqual(log.events);
  });

  it('limits it in bytes as well', async () => {
    log.size = 1024 * 1024;
    const [other, slow] = [follow(), stuck()];
    await eventually(() => log.isFollowed, 'the tail');
    log.append(['A']);
    await eventually(() => hasAll(other), 'the other');
    for (let n = 0; n < 100; n += 1) log.append(['A']);
    await eventually(() => hasAll(other), 'the other');
    const pages = log.pages.length;
    slow.letGo();
    await eventually(() => hasAll(slow), 'the slow one');
    expect(log.pages.length).toBeGreaterThan(pages);
    expect(idsOf(slow.recorder.events)).toEqual(idsOf(log.events));
  });

  it('reads nothing for a new reader while others follow the tail', async () => {
    const first = follow();
    await eventually(() => log.isFollowed, 'the tail');
    log.append(some(10));
    await eventually(() => hasAll(first), 'the first');
    const pages = log.pages.length;
    const second = follow({ types: ['B'] }, 4);
    log.append(some(10));
    await eventually(() => hasAll(second), 'the second');
    expect(second.recorder.events).toEqual(log.matching({ types: ['B'] }, 4));
    expect(log.pages).toHaveLength(pages);
  });

  it('stops following the log when no reader is left', async () => {
    const all = [follow(), follow()];
    await eventually(() => log.isFollowed, 'the tail');
    await all[0]?.subscription.stop();
    expect(log.isFollowed).toBe(true);
    await all[1]?.subscription.stop();
    expect(log.isFollowed).toBe(false);
  });

  it('reads again what it held in memory if some of it may have been pruned', async () => {
    const [other, slow] = [follow(), stuck()];
    await eventually(() => log.isFollowed, 'the tail');
    log.append(['A']);
    await eventually(() => hasAll(other), 'the other');
    log.append(['B', 'C']);
    log.events[1] = { ...(log.events[1] ?? raise()), type: 'Pruned' };
    reader.forget();
    slow.letGo();
    await eventually(() => hasAll(slow), 'all');
    expect(slow.recorder.events.map(({ type }) => type)).toEqual(['A', 'Pruned', 'C']);
  });

  it("skips events before a subscriber's position, even if that is beyond the log", async () => {
    const [ahead, other] = [follow({}, 5), follow()];
    await eventually(() => log.isFollowed, 'the tail');
    for (let n = 0; n < 10; n += 1) log.append(['A']);
    await eventually(() => hasAll(ahead) && hasAll(other), 'all');
    expect(idsOf(ahead.recorder.events)).toEqual(['6', '7', '8', '9']);
    expect(other.recorder.events).toHaveLength(10);
  });

  it('of a log that is written, lost, pruned and followed in all ways delivers everything once and in order', async () => {
    const filter: fc.Arbitrary<EventFilter> = fc.oneof(
      fc.constant({}),
      fc.record({ types: fc.subarray([...types], { minLength: 1 }) }),
      fc.record({ categories: fc.subarray(['webhook', 'function'], { minLength: 1 }) }),
      fc.record({ workspaceId: fc.constantFrom('ws_0', 'ws_1'), types: fc.subarray([...types], { minLength: 1 }) }),
    );
    const kind = fc.record({
      filter,
      at: fc.nat(30),
      /** Distance of the starting position from the log's end. `null` means the beginning of the log. */
      back: fc.option(fc.nat(100)),
      pauses: fc.array(fc.constantFrom(0, 0, 0, 1, 5), { minLength: 1, maxLength: 5 }),
      failsAt: fc.array(fc.nat(8), { maxLength: 1 }),
      stopsAt: fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 2 }),
    });
    const move = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 60 }) }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('pause' as const), count: fc.nat(3) }) },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constantFrom('lose' as const, 'forget' as const, 'fail' as const),
          count: fc.constant(0),
        }),
      },
    );
    const moves = fc.array(move, { minLength: 30, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(kind, { minLength: 1, maxLength: 8 }),
        moves,
        fc.nat(300),
        async (kinds, made, history) => {
          log = new LogInMemory(20);
          reader = new LogReader(log);
          log.append(some(history));
          const all: {
            readonly taken: Recorder;
            readonly filter: EventFilter;
            readonly after: number;
            readonly last: () => Subscription;
          }[] = [];
          for (const [step, { kind, count }] of made.entries()) {
            for (const each of kinds) if (each.at === step) all.push(followInTurns(each));
            if (kind === 'append') log.append(some(count));
            if (kind === 'pause') await takes(count);
            if (kind === 'lose') log.lose();
            if (kind === 'forget') reader.forget();
            if (kind === 'fail') log.failingPages = 1;
          }
          await eventually(() => all.every(({ last }) => last().position === log.events.length - 1), 'everyone');
          for (const { taken, filter, after } of all) {
            expect(idsOf(taken.events)).toEqual(idsOf(log.matching(filter, after)));
            const told = taken.batches.map(({ caughtUpTo }) => caughtUpTo);
            expect(told).toEqual([...new Set(told)].toSorted((one, other) => one - other));
          }
          await reader.close();
        },
      ),
      { numRuns: runs(60) },
    );
  }, 120_000);

  function followInTurns(kind: {
    readonly filter: EventFilter;
    readonly back: number | null;
    readonly pauses: readonly number[];
    readonly failsAt: readonly number[];
    readonly stopsAt: readonly number[];
  }) {
    const taken = new Recorder();
    let [calls, running] = [0, 0];
    let last: Subscription;
    const begin = (after: number): Subscription =>
      reader.subscribe({
        ...kind.filter,
        after,
        handle: async (events, upTo) => {
          calls += 1;
          running += 1;
          expect(running).toBe(1);
          const pause = kind.pauses[calls % kind.pauses.length] ?? 0;
          if (pause > 0) await takes(pause);
          running -= 1;
          if (kind.failsAt.includes(calls)) throw new Error('this time not');
          await taken.handle(events, upTo);
          if (!kind.stopsAt.includes(calls)) return;
          const stopping = last;
          void stopping.stop().then(() => {
            last = begin(stopping.position);
          });
        },
      });
    const after = kind.back === null ? -1 : Math.max(log.events.length - 1 - kind.back, -1);
    last = begin(after);
    return { taken, filter: kind.filter, after, last: () => last };
  }
});

function raise(): never {
  throw new Error('there is no such event');
}
