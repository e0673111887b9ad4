import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EventStoreUnavailable, WrongExpectedRevision } from '../../../src/ports/event-store.port.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { idsOf, Scene } from './event-store-scene.js';

describe('event store: embedded, beyond the contract', () => {
  let directory: EmbeddedDirectory;
  let store: EmbeddedEventStore;
  let scene: Scene;
  const commits = commitCounter();

  beforeEach(() => {
    directory = new EmbeddedDirectory();
    commits.count = 0;
    store = new EmbeddedEventStore({ directory: directory.path, onOpen: commits.watch });
    scene = new Scene();
  });
  afterEach(async () => {
    await store.close();
    directory.remove();
  });
  const all = () => store.readAll({ limit: 1_000_000 });

  describe('a list of appends', () => {
    it('is recorded completely or not at all', async () => {
      await store.append([scene.request('taken', 'none')]);
      const list = [scene.request('a', 'none', 2), scene.request('b', 'none'), scene.request('taken', 'none')];
      await expect(store.append(list)).rejects.toThrow(WrongExpectedRevision);
      expect(await all()).toHaveLength(1);
      expect(await store.append(list.slice(0, 2))).toMatchObject([
        { revision: 1, position: 2 },
        { revision: 0, position: 3 },
      ]);
    });

    it('that fails does not affect the others of its turn', async () => {
      const good = [scene.request('a', 'none'), scene.request('b', 'none')];
      const bad = [scene.request('c', 'none', 3), scene.request('a', 'none')];
      const answers = await Promise.allSettled([
        store.append(good),
        store.append(bad),
        store.append([scene.request('a', 0), scene.request('c', 'none')]),
        store.append([scene.request('a', 0)]),
        store.append([scene.request('a', 1)]),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
      expect((await all()).map(({ stream, revision }) => [stream, revision])).toEqual(
        [['a', 0] as const, ['b', 0] as const, ['a', 1] as const, ['c', 0] as const, ['a', 2] as const].map(
          ([id, revision]) => [scene.stream(id), revision],
        ),
      );
    });

    it('with data that is not JSON is refused before it joins a group', async () => {
      const circle: { self?: object } = {};
      circle.self = circle;
      const bad = store.append([scene.request('a', 'none', [scene.event('FunctionEdited', circle)])]);
      const good = store.append([scene.request('b', 'none')]);
      await expect(bad).rejects.toThrow(TypeError);
      await expect(good).resolves.toHaveLength(1);
    });

    it('for an invalid stream name fails alone', async () => {
      const bad = store.append([{ stream: 'nonsense', expected: 'any', events: scene.events(1) }]);
      const good = store.append([scene.request('b', 'none')]);
      await expect(bad).rejects.toThrow("'nonsense' is not a stream name");
      await expect(good).resolves.toHaveLength(1);
    });
  });

  it('commits once for all appends of a turn', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, n) => store.append([scene.request(`${n}`, 'none')])));
    expect(commits.count).toBe(1);
  });

  it('commits once for appends from different callbacks of a turn', async () => {
    const answers = Array.from(
      { length: 10 },
      (_, n) =>
        new Promise((resolve) => {
          setTimeout(() => resolve(store.append([scene.request(`${n}`, 'none')])), 1);
        }),
    );
    // Blocks the event loop until all ten timers are due.
    for (const end = performance.now() + 3; performance.now() < end; );
    await Promise.all(answers);
    expect(commits.count).toBe(1);
  });

  it('commits many appends in groups, without blocking other work', async () => {
    await Promise.all(Array.from({ length: 2_500 }, () => store.append([scene.request('a', 'any')])));
    expect(commits.count).toBe(3);
    expect(await store.readStream(scene.stream('a'))).toHaveLength(2_500);
  });

  it('reports a reused event id if the revision is the expected one', async () => {
    const first = scene.request('a', 'none', 2);
    await store.append([first]);
    const again = store.append([scene.request('a', 1, [scene.event(), ...first.events.slice(0, 1)])]);
    await expect(again).rejects.toThrow('uses the id of an event that is already in it');
    await expect(again).rejects.not.toBeInstanceOf(EventStoreUnavailable);
    const [event] = scene.events(1);
    await expect(store.append([scene.request('b', 'none', event ? [event, event] : [])])).rejects.toThrow('id twice');
    expect(await all()).toHaveLength(2);
  });

  it('continues after the last position even if the end of the log was pruned', async () => {
    expect(await store.head()).toBe(-1);
    const [appended] = await store.append([scene.request('a', 'none', 3)]);
    await store.truncate(scene.stream('a'), 3);
    await store.close();
    store = new EmbeddedEventStore({ directory: directory.path });
    expect(await store.head()).toBe(appended?.position);
    const [next] = await store.append([scene.request('a', 2)]);
    expect(next?.position).toBeGreaterThan(appended?.position ?? Number.NaN);
  });

  it('removes pruned events from the log at once and frees their rows', async () => {
    await store.append([scene.request('a', 'none', 2_500), scene.request('b', 'none', 2)]);
    const pruning = store.truncate(scene.stream('a'), 2_499);
    expect(await all()).toHaveLength(3);
    expect(await store.readStream(scene.stream('a'))).toHaveLength(1);
    await pruning;
    expect((await all()).map(({ revision }) => revision)).toEqual([2_499, 0, 1]);
    const file = new DatabaseSync(directory.file('events.db'));
    expect(file.prepare('SELECT count(*) AS n FROM events').get()).toMatchObject({ n: 3 });
    file.close();
  });

  it('never lowers the revision up to which a stream is pruned', async () => {
    await store.append([scene.request('a', 'none', 5)]);
    await store.truncate(scene.stream('a'), 3);
    await store.truncate(scene.stream('a'), 1);
    const file = new DatabaseSync(directory.file('events.db'));
    expect(file.prepare('SELECT truncate_before AS mark FROM streams').all()).toMatchObject([{ mark: 3 }]);
    file.close();
  });

  it('does not prune future events', async () => {
    await store.append([scene.request('a', 'none', 2)]);
    await store.truncate(scene.stream('a'), 100);
    await store.append([scene.request('a', 1)]);
    expect(await store.readStream(scene.stream('a'))).toHaveLength(1);
  });

  it('finds a rare event in a long log, from either end', async () => {
    const rare = [scene.event('Rare'), scene.event('Rare')];
    const [first, last] = rare.map((event) => scene.request('rare', 'any', [event]));
    await store.append(first ? [first] : []);
    for (let n = 0; n < 45; n += 1) await store.append([scene.request('a', 'any', 1_000)]);
    await store.append(last ? [last] : []);
    const found = (options: object) => store.readAll({ types: ['Rare'], limit: 5, ...options }).then(idsOf);
    expect(await found({})).toEqual(idsOf(rare));
    expect(await found({ direction: 'backward' })).toEqual(idsOf(rare).toReversed());
    expect(await found({ direction: 'backward', limit: 1 })).toEqual(idsOf(rare.slice(1)));
    const handed: number[] = [];
    const done = Promise.withResolvers<void>();
    const subscription = store.subscribe({
      after: -1,
      handle: async (events, caughtUpTo) => {
        handed.push(events.length);
        if (caughtUpTo === 45_001) done.resolve();
      },
    });
    await done.promise;
    await subscription.stop();
    expect(Math.max(...handed)).toBeLessThanOrEqual(1_000);
    expect(handed.reduce((sum, n) => sum + n)).toBe(45_002);
  });

  it('syncs to disk at every commit', () => {
    expect(commits.setting('synchronous')).toBe(2);
    expect(commits.setting('journal_mode')).toBe('wal');
  });

  it('refuses a file with a newer schema', async () => {
    await store.close();
    const file = new DatabaseSync(directory.file('events.db'));
    file.exec('PRAGMA user_version = 7');
    file.close();
    expect(() => new EmbeddedEventStore({ directory: directory.path })).toThrow(
      'The event store was written by a newer Countersign (schema 7, this version supports 1): start the newer version.',
    );
  });

  it('has files that other users cannot read', async () => {
    await store.append([scene.request('a', 'none')]);
    for (const name of ['events.db', 'events.db-wal', 'events.db-shm']) {
      expect(statSync(directory.file(name)).mode & 0o077).toBe(0);
    }
  });

  it('records what was requested before the close, and nothing after', async () => {
    const pending = store.append([scene.request('a', 'none')]);
    const reading = store.readAll({ limit: 10 });
    await store.close();
    await store.close();
    await expect(pending).resolves.toHaveLength(1);
    await reading.catch((error: unknown) => expect(error).toBeInstanceOf(EventStoreUnavailable));
    for (const late of [
      () => store.append([scene.request('a', 'any')]),
      () => store.readStream(scene.stream('a')),
      () => store.readAll({ limit: 1 }),
      () => store.head(),
      () => store.truncate(scene.stream('a'), 1),
      () => store.check(),
      async () => store.subscribe({ after: -1, handle: async () => undefined }),
    ]) {
      await expect(late()).rejects.toThrow(EventStoreUnavailable);
    }
    store = new EmbeddedEventStore({ directory: directory.path });
    expect(await all()).toHaveLength(1);
  });
});

/** Counts the commits of the store's connection, and reads its pragmas. */
function commitCounter() {
  const commits = {
    count: 0,
    setting: (_name: string): unknown => undefined,
    watch(database: DatabaseSync): void {
      commits.setting = (name) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
      const prepare = database.prepare.bind(database);
      database.prepare = (sql, ...rest) => {
        const statement = prepare(sql, ...rest);
        if (sql !== 'COMMIT') return statement;
        const run = statement.run.bind(statement);
        statement.run = () => {
          commits.count += 1;
          return run();
        };
        return statement;
      };
    },
  };
  return commits;
}
