import { DatabaseSync } from 'node:sqlite';
import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EventStoreUnavailable } from '../../../src/ports/event-store.port.js';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { eventually, idsOf, Recorder, Scene } from '../../contracts/event-store/event-store-scene.js';

describe('event store: embedded, when the disk fails', () => {
  let directory: EmbeddedDirectory;
  let store: EmbeddedEventStore;
  let scene: Scene;
  let connection: DatabaseSync | undefined;
  let errors: unknown[];
  const set = (pragma: string) => connection?.exec(`PRAGMA ${pragma}`);

  beforeEach(() => {
    directory = new EmbeddedDirectory();
    errors = [];
    store = new EmbeddedEventStore({
      directory: directory.path,
      onError: (error) => errors.push(error),
      onOpen: (database) => {
        connection = database;
      },
    });
    scene = new Scene();
  });
  afterEach(async () => {
    await store.close();
    directory.remove();
  });

  const failure = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => 'no failure',
      (error: unknown) => error,
    );
  const expectUnavailable = (error: unknown, sentence: string): void => {
    expect(error).toBeInstanceOf(EventStoreUnavailable);
    expect(error).toHaveProperty('message', `The event store is not available: ${sentence}.`);
  };

  it('full: every append of the group is refused, nothing is partly recorded, and it works again when there is room', async () => {
    const recorder = new Recorder();
    store.subscribe({ after: -1, handle: recorder.handle });
    await store.append([scene.request('a', 'none', 2)]);
    set('max_page_count = 20');
    const lists = Array.from({ length: 20 }, (_, n) => [
      scene.request('a', 'any', 5),
      scene.request(`${n}`, 'none', [scene.event('FunctionEdited', { text: 'x'.repeat(20_000) })]),
    ]);
    for (const error of await Promise.all(lists.map((list) => failure(store.append(list))))) {
      expectUnavailable(error, 'the disk is full; free some space, and try again');
    }
    expect(await store.readAll({ limit: 1_000 })).toHaveLength(2);
    expect(await store.head()).toBe(1);

    set('max_page_count = 1000000');
    const answers = await Promise.all(lists.map((list) => store.append(list)));
    expect(answers.at(-1)).toMatchObject([{ revision: 101 }, { revision: 0 }]);
    const log = await store.readAll({ limit: 1_000 });
    expect(log).toHaveLength(122);
    await eventually(() => recorder.events.length >= 122, 'the log');
    expect(idsOf(recorder.events)).toEqual(idsOf(log));
  });

  it('locked: an append gives up after a while, and works when the lock is gone', async () => {
    const other = new DatabaseSync(directory.file('events.db'));
    other.exec('BEGIN IMMEDIATE');
    set('busy_timeout = 20');
    const list = [scene.request('a', 'none')];
    const sentence = 'another process holds its write lock; end that process or wait for it, and try again';
    expectUnavailable(await failure(store.append(list)), sentence);
    expectUnavailable(await failure(store.truncate(scene.stream('a'), 1)), sentence);
    expectUnavailable(await failure(store.check()), sentence);
    expect(await store.readStream(scene.stream('a'))).toEqual([]);
    other.close();
    await expect(store.append(list)).resolves.toHaveLength(1);
    await expect(store.check()).resolves.toBeUndefined();
  });

  it('read-only: reads go on', async () => {
    await store.append([scene.request('a', 'none')]);
    set('query_only = ON');
    expectUnavailable(
      await failure(store.append([scene.request('a', 0)])),
      'its file cannot be written; give the service permission to write it, and try again',
    );
    expect(await store.readStream(scene.stream('a'))).toHaveLength(1);
    set('query_only = OFF');
    expect(await store.append([scene.request('a', 0)])).toMatchObject([{ revision: 1 }]);
  });

  it('failing at the commit: the append may be repeated', async () => {
    await store.close();
    let faults = 1;
    store = new EmbeddedEventStore({
      directory: directory.path,
      onOpen: (database) => {
        const prepare = database.prepare.bind(database);
        database.prepare = (sql, ...rest) => {
          const statement = prepare(sql, ...rest);
          const run = statement.run.bind(statement);
          if (sql === 'COMMIT') {
            statement.run = () => {
              faults -= 1;
              if (faults >= 0) throw Object.assign(new Error('disk I/O error'), { errcode: 1034 });
              return run();
            };
          }
          return statement;
        };
      },
    });
    const list = [scene.request('a', 'none', 2), scene.request('b', 'none')];
    expectUnavailable(
      await failure(store.append(list)),
      'the disk failed to read or write; check the disk and the machine’s log, and try again',
    );
    expect(await store.readAll({ limit: 10 })).toEqual([]);
    expect(await store.append(list)).toEqual([
      { revision: 1, position: 1 },
      { revision: 0, position: 2 },
    ]);
  });

  it('delivers what another process appended even if the group that noticed it failed', async () => {
    const recorder = new Recorder();
    store.subscribe({ after: -1, handle: recorder.handle });
    await store.append([scene.request('before', 'none')]);
    await eventually(() => recorder.events.length >= 1, 'the first event');
    const other = new EmbeddedEventStore({ directory: directory.path });
    await other.append([scene.request('a', 'none', 2)]);
    await other.close();
    set('max_page_count = 1');
    const large = [scene.event('FunctionEdited', { text: 'x'.repeat(200_000) })];
    expect(await failure(store.append([scene.request('b', 'none', large)]))).toBeInstanceOf(EventStoreUnavailable);
    set('max_page_count = 1000000');
    await eventually(() => recorder.events.length >= 3, 'the events of the other');
  });

  it('failing at a read: a subscription tries again', async () => {
    await store.append([scene.request('a', 'none', 3)]);
    await store.close();
    let faults = 2;
    store = new EmbeddedEventStore({
      directory: directory.path,
      onError: (error) => errors.push(error),
      onOpen: (database) => {
        const prepare = database.prepare.bind(database);
        database.prepare = (sql, ...rest) => {
          if (sql.includes('e.position >') && faults > 0) {
            faults -= 1;
            throw Object.assign(new Error('disk I/O error'), { errcode: 266 });
          }
          return prepare(sql, ...rest);
        };
      },
    });
    const recorder = new Recorder();
    store.subscribe({ after: -1, handle: recorder.handle });
    await eventually(() => recorder.events.length >= 3, 'the third attempt');
    expect(errors).toHaveLength(2);
    for (const error of errors) expect(error).toBeInstanceOf(EventStoreUnavailable);
  });
});
