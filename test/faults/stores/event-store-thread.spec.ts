// Second tier.
import { DatabaseSync } from 'node:sqlite';
import type { AppendRequest } from '../../../src/ports/event-store.port.js';
import { EventStoreUnavailable, WrongExpectedRevision } from '../../../src/ports/event-store.port.js';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { eventually, idsOf, Recorder, Scene } from '../../contracts/event-store/event-store-scene.js';
import { type CrowdedStore, crowd, crowdedStore } from '../../support/stores/crowded-store.js';

const ended = 'the thread that writes it has ended; append again';
const lockedOut = 'another process holds its write lock; end that process or wait for it, and try again';

describe('event store: embedded, written by a thread', () => {
  let directory: EmbeddedDirectory;
  let opened: CrowdedStore;
  let scene: Scene;
  let errors: unknown[];

  const open = async (maxPages?: number) => {
    const limit = maxPages === undefined ? {} : { maxPages };
    return crowdedStore({ directory: directory.path, onError: (error) => errors.push(error), ...limit });
  };
  const all = () => opened.store.readAll({ limit: 100_000 });
  const appendBoth = (lists: readonly (readonly AppendRequest[])[]) =>
    Promise.allSettled(lists.map((list) => opened.store.append(list)));
  const reasons = (results: readonly PromiseSettledResult<unknown>[]): readonly unknown[] =>
    results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));

  beforeEach(async () => {
    directory = new EmbeddedDirectory();
    errors = [];
    opened = await open();
    scene = new Scene();
  });
  afterEach(async () => {
    await opened.store.close();
    directory.remove();
  });

  it('that dies: unanswered appends are refused, may be repeated, and are never recorded twice', async () => {
    const recorder = new Recorder();
    opened.store.subscribe({ after: -1, handle: recorder.handle });
    const lists = Array.from({ length: 300 }, (_, n) => [
      scene.request(`${n}`, 'none', 2),
      scene.request('all', 'any'),
    ]);
    // The lock makes the thread wait, so that it records nothing before it dies. On a busy machine, the thread may give
    // up waiting first, and its refusal is right too.
    const other = new DatabaseSync(directory.file('events.db'));
    other.exec('BEGIN IMMEDIATE');
    const pending = appendBoth(lists);
    await new Promise(setImmediate);
    const ending = opened.threads[0]?.terminate();
    other.close();
    await ending;
    const refused = reasons(await pending);
    expect(refused).toHaveLength(lists.length);
    // The periodic check for events of other processes fails in the same way as the appends.
    const isEnd = (error: unknown) => String(error) === 'Error: The thread that writes the log has ended.';
    expect(errors.filter(isEnd)).toHaveLength(1);
    for (const error of [...refused, ...errors.filter((one) => !isEnd(one))]) {
      expect(error).toBeInstanceOf(EventStoreUnavailable);
      expect(error).toHaveProperty('message', expect.stringMatching(`${ended}|${lockedOut}`));
    }

    expect(reasons(await appendBoth(lists))).toEqual([]);
    const log = await all();
    expect(log).toHaveLength(2 + 900);
    expect(new Set(idsOf(log)).size).toBe(log.length);
    expect(log.map(({ position }) => position)).toEqual(log.map((_, n) => n));
    await eventually(() => recorder.events.length >= log.length, 'the whole log');
    expect(recorder.events).toEqual(log);
  });

  it('that dies while idle: another replaces it', async () => {
    await opened.threads[0]?.terminate();
    await eventually(() => errors.length === 1, 'the word of its end');
    for (const before = opened.threads.length; opened.threads.length === before; ) await crowd(opened.store);
    await expect(opened.store.append([scene.request('a', 'none')])).resolves.toHaveLength(1);
    await expect(opened.store.check()).resolves.toBeUndefined();
  });

  it('names the stream whose revision changed, and records the others of the group', async () => {
    await opened.store.append([scene.request('a', 'none')]);
    const [wrong, nameless, repeated, right] = await appendBoth([
      [scene.request('a', 'none')],
      [{ stream: 'nonsense', expected: 'any', events: scene.events(1) }],
      [scene.request('b', 'none', 2), scene.request('c', 4)],
      [scene.request('a', 0)],
    ]);
    const moved = { stream: scene.stream('a'), expected: 'none', actual: 0 };
    expect(wrong).toMatchObject({ reason: moved });
    expect(wrong).toHaveProperty('reason', expect.any(WrongExpectedRevision));
    expect(nameless).toMatchObject({ reason: { message: expect.stringContaining("'nonsense' is not a stream name") } });
    expect(repeated).toMatchObject({ reason: { expected: 4, actual: -1 } });
    expect(right).toMatchObject({ value: [{ revision: 1 }] });
    expect(await opened.store.readStream(scene.stream('b'))).toEqual([]);
  });

  it('delivers an event before its append is answered', async () => {
    const order: string[] = [];
    opened.store.subscribe({
      after: 1,
      handle: async (events) => {
        order.push(...events.map(() => 'handled'));
      },
    });
    const answered = (list: readonly AppendRequest[]) => opened.store.append(list).then(() => order.push('answered'));
    await Promise.all([answered([scene.request('a', 'none')]), answered([scene.request('b', 'none')])]);
    await answered([scene.request('c', 'none')]);
    expect(order).toEqual(['handled', 'handled', 'answered', 'answered', 'handled', 'answered']);
  });

  it('delivers a repeated append of the same group once', async () => {
    const recorder = new Recorder();
    opened.store.subscribe({ after: 1, handle: recorder.handle });
    const list = [scene.request('a', 'none', 2)];
    const [first, second] = await Promise.all([opened.store.append(list), opened.store.append(list)]);
    expect(second).toEqual(first);
    await opened.store.append([scene.request('b', 'none')]);
    await eventually(() => recorder.events.length >= 3, 'all three events');
    expect(recorder.events).toEqual((await all()).slice(2));
  });

  it('full: the whole group is refused, reads work, and appends do again when there is room', async () => {
    await opened.store.close();
    opened = await open(20);
    const before = await all();
    const lists = Array.from({ length: 10 }, (_, n) => [
      scene.request(`${n}`, 'none', [scene.event('FunctionEdited', { text: 'x'.repeat(20_000) })]),
    ]);
    const refused = reasons(await appendBoth(lists));
    expect(refused.map(String)).toEqual(
      lists.map(() => 'Error: The event store is not available: the disk is full; free some space, and try again.'),
    );
    for (const error of refused) expect(error).toBeInstanceOf(EventStoreUnavailable);
    expect(await all()).toEqual(before);

    await opened.store.close();
    opened = await open();
    expect(reasons(await appendBoth(lists))).toEqual([]);
    expect(await all()).toHaveLength(before.length + 2 + 10);
  });

  it('locked out by another process: reads are answered, and appends work when the lock is gone', async () => {
    const other = new DatabaseSync(directory.file('events.db'));
    other.exec('BEGIN IMMEDIATE');
    let isOver = false;
    const appending = appendBoth([[scene.request('a', 'none')], [scene.request('b', 'none')]]).finally(() => {
      isOver = true;
    });
    expect(await all()).toHaveLength(2);
    expect(isOver).toBe(false);
    for (const error of reasons(await appending))
      expect(error).toHaveProperty('message', expect.stringContaining(lockedOut));
    other.close();
    expect(await opened.store.append([scene.request('a', 'none')])).toMatchObject([{ revision: 0 }]);
  });

  it('prunes a long stream while others append', async () => {
    await opened.store.append([scene.request('long', 'none', 2_500)]);
    const pruning = opened.store.truncate(scene.stream('long'), 2_400);
    await crowd(opened.store);
    await pruning;
    expect(await opened.store.readStream(scene.stream('long'))).toHaveLength(100);
    expect(await opened.store.append([scene.request('long', 2_499)])).toMatchObject([{ revision: 2_500 }]);
  });

  it('records what was requested before the store was closed', async () => {
    const lists = Array.from({ length: 20 }, (_, n) => [scene.request(`${n}`, 'none')]);
    const pending = appendBoth(lists);
    await opened.store.close();
    expect(reasons(await pending)).toEqual([]);
    opened = await open();
    expect(await all()).toHaveLength(2 + 20 + 2);
  });
});
