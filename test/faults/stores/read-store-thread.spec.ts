// Second tier.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { CheckpointMoved, ReadStoreUnavailable, type Write } from '../../../src/ports/read-store.port.js';

const build = { projection: 'catalogue', generation: 'v1' };
const collections = { things: { indexes: [{ fields: ['batch'] }] } };
const batch = (n: number, collection = 'things'): Write[] =>
  Array.from({ length: 20 }, (_, index) => ({
    kind: 'put',
    collection,
    document: { id: `${n}.${index}`, workspaceId: 'w1', batch: n },
    position: n,
  }));

describe('read store: embedded, written by a thread', () => {
  let directory: string;
  let store: EmbeddedReadStore;
  let threads: Worker[];

  /** The first large commit starts the thread, which writes the next one. */
  async function open(maxPages?: number): Promise<void> {
    threads = [];
    const limit = maxPages === undefined ? {} : { maxPages };
    const onThread = (thread: Worker) => threads.push(thread);
    store = new EmbeddedReadStore({ directory, onThread, patienceMs: 0, ...limit });
    await store.prepare(build, collections);
    await store.activate(build, collections);
    const stands = await store.checkpoint(build);
    await store.commit(build, stands, stands + 1, batch(stands + 1));
    const [thread] = threads;
    if (thread === undefined) throw new Error('A large commit started no thread.');
    await once(thread, 'message');
  }

  const failure = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => 'no failure',
      (error: unknown) => error,
    );

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'read-store-'));
    await open();
  });
  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('writes documents and checkpoint, and deletes removed documents', async () => {
    const { promise: answered, resolve } = Promise.withResolvers<unknown>();
    threads[0]?.once('message', resolve);
    await store.commit(build, 0, 5, [
      ...batch(1),
      { kind: 'remove', collection: 'things', id: '1.3' },
      { kind: 'removeWhere', collection: 'things', where: { batch: { lt: 1 } } },
    ]);
    expect(await answered).toEqual({ results: [undefined] });
    expect(await store.checkpoint(build)).toBe(5);
    expect(await store.count('things', {})).toBe(19);
    expect(await store.get('things', '1.4')).toEqual({ id: '1.4', workspaceId: 'w1', batch: 1 });
    expect(await store.load(build, 'things', ['1.4'])).toMatchObject(new Map([['1.4', { position: 1 }]]));
  });

  it('writes a large commit while the main thread computes on', async () => {
    const { promise: answered, resolve } = Promise.withResolvers<unknown>();
    threads[0]?.once('message', resolve);
    const writes = Array.from({ length: 25 }, (_, n) => batch(n + 1)).flat();
    const committed = store.commit(build, 0, 1, writes);
    store.flushSoon();
    const beside = new DatabaseSync(join(directory, 'read.db'), { readOnly: true });
    const written = beside.prepare('SELECT checkpoint FROM builds WHERE projection = ?');
    // This loop never returns to the event loop.
    const giveUpAt = Date.now() + 10_000;
    while (written.get('catalogue')?.['checkpoint'] !== 1) if (Date.now() > giveUpAt) throw new Error('Not written.');
    beside.close();
    await Promise.all([committed, answered]);
  });

  it('writes to a collection that was prepared in the same turn', async () => {
    const other = { projection: 'other', generation: 'v1' };
    const pending = store.commit(build, 0, 1, batch(1));
    store.flushSoon();
    await new Promise(setImmediate);
    await store.prepare(other, { others: { indexes: [] } });
    const second = store.commit(other, -1, 1, batch(1, 'others'));
    store.flushSoon();
    await Promise.all([pending, second]);
    expect(await store.checkpoint(other)).toBe(1);
  });

  it('does not block the main thread, which prepares a build between two of its commits', async () => {
    const done: string[] = [];
    const noting = (what: string) => () => void done.push(what);
    const many = Array.from({ length: 200 }, (_, n) => batch(n + 1)).flat();
    const first = store.commit(build, 0, 1, many);
    await new Promise(setImmediate);
    const prepared = store.prepare({ projection: 'other', generation: 'v1' }, {}).then(noting('prepared'));
    const second = store.commit(build, 1, 2, batch(201)).then(noting('second commit'));
    await new Promise(setImmediate);
    expect(done).toEqual([]);
    await Promise.all([first, prepared, second]);
    expect(done).toEqual(['prepared', 'second commit']);
    expect(await store.count('things', {})).toBe(201 * 20 + 20);
  });

  it('keeps the order of commits that begin before the others are done, also around a write of the main thread', async () => {
    const many = (n: number) => Array.from({ length: 25 }, (_, part) => batch(n * 100 + part)).flat();
    const commit = (at: number) => {
      const committed = store.commit(build, at, at + 1, many(at));
      store.flushSoon();
      return committed;
    };
    // The third commit begins at different moments around the end of the first one, for which the main thread waits.
    for (let round = 0; round < 20; round += 1) {
      const at = await store.checkpoint(build);
      const first = commit(at);
      const prepared = store.prepare({ projection: `other${round}`, generation: 'v1' }, {});
      const second = commit(at + 1);
      const third = first.then(async () => {
        for (let turns = 0; turns < round; turns += 1) await undefined;
        await commit(at + 2);
      });
      await Promise.all([first, prepared, second, third]);
      expect(await store.checkpoint(build)).toBe(at + 3);
    }
  });

  it('refuses commits with an outdated checkpoint or an unknown collection, and writes the others', async () => {
    const other = { projection: 'other', generation: 'v1' };
    const third = { projection: 'third', generation: 'v1' };
    await store.prepare(other, { others: { indexes: [] } });
    await store.prepare(third, { thirds: { indexes: [] } });
    const [moved, unknown, right] = await Promise.all([
      failure(store.commit(build, 7, 8, batch(8))),
      failure(store.commit(other, -1, 8, batch(8, 'nowhere'))),
      failure(store.commit(third, -1, 8, batch(8, 'thirds'))),
    ]);
    expect(moved).toBeInstanceOf(CheckpointMoved);
    expect(String(moved)).toContain('is at 0, not at 7');
    expect(String(unknown)).toContain('The collection nowhere was not prepared');
    expect(right).toBe('no failure');
    expect([await store.checkpoint(build), await store.checkpoint(other), await store.checkpoint(third)]).toEqual([
      0, -1, 8,
    ]);
  });

  it('that dies: its commit is refused, the checkpoint shows what was written, and commits work again', async () => {
    // The lock makes the thread wait, so that it dies before it answers.
    const other = new DatabaseSync(join(directory, 'read.db'));
    other.exec('BEGIN IMMEDIATE');
    const pending = failure(store.commit(build, 0, 1, batch(1)));
    store.flushSoon();
    await new Promise(setImmediate);
    const ended = threads[0]?.terminate();
    other.close();
    await ended;
    expect(await pending).toBeInstanceOf(ReadStoreUnavailable);
    expect(String(await pending)).toContain('The thread that writes the read store has ended. Try again.');
    const stands = await store.checkpoint(build);
    expect(await store.count('things', {})).toBe(20 * (stands + 1));
    await store.commit(build, stands, stands + 1, batch(stands + 1));
    expect(await store.count('things', {})).toBe(20 * (stands + 2));
  });

  it('full: nothing of the commit is written, and reads work', async () => {
    await store.close();
    await open(40);
    let last = await store.checkpoint(build);
    let refused: unknown = 'no failure';
    for (; refused === 'no failure'; last += 1)
      refused = await failure(store.commit(build, last, last + 1, batch(last + 1)));
    expect(refused).toBeInstanceOf(ReadStoreUnavailable);
    expect(String(refused)).toContain('The disk of the read store is full. Free some space');
    expect(await store.checkpoint(build)).toBe(last - 1);
    expect(await store.count('things', {})).toBe(20 * last);
  });

  it('locked out by another process: reads are answered, and commits work when the lock is gone', async () => {
    const other = new DatabaseSync(join(directory, 'read.db'));
    other.exec('BEGIN IMMEDIATE');
    const committing = failure(store.commit(build, 0, 1, batch(1)));
    store.flushSoon();
    expect(await store.count('things', {})).toBe(20);
    expect(await committing).toBeInstanceOf(ReadStoreUnavailable);
    other.close();
    await store.commit(build, 0, 1, batch(1));
    expect(await store.checkpoint(build)).toBe(1);
  });

  it('writes what was requested before the store was closed', async () => {
    const pending = store.commit(build, 0, 1, batch(1));
    await store.close();
    await pending;
    await open();
    expect(await store.checkpoint(build)).toBe(2);
    expect(await store.count('things', { batch: 1 })).toBe(20);
  });

  const declared = { things: { indexes: [{ fields: ['batch'] }, { fields: ['workspaceId', 'batch'] }] } };
  function indexes(): readonly string[] {
    const other = new DatabaseSync(join(directory, 'read.db'), { readOnly: true });
    const rows = other.prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL").all();
    other.close();
    return rows.map(({ name }) => String(name)).sort();
  }

  it('creates missing indexes of a table with documents, between earlier and later commits', async () => {
    const answers: unknown[] = [];
    threads[0]?.on('message', ({ results }) => answers.push(results.length === 0 ? indexes().length : results));
    const before = store.commit(build, 0, 1, batch(1));
    store.flushSoon();
    await new Promise(setImmediate);
    const made = store.prepare(build, declared);
    const after = store.commit(build, 1, 2, batch(2));
    store.flushSoon();
    // The main thread answers reads while the thread writes.
    expect(await store.get('things', '0.4')).toMatchObject({ batch: 0 });
    await Promise.all([before, made, after]);
    expect(answers).toEqual([[undefined], 2, [undefined]]);
    expect(indexes()).toEqual(['things@v1#batch columns', 'things@v1#workspaceId,batch columns']);
    expect(await store.count('things', { workspaceId: 'w1', batch: 2 })).toBe(20);
    expect(await store.count('things', {})).toBe(60);
  });

  it('lets changes of builds wait until the indexes exist, without blocking the main thread', async () => {
    const made = store.prepare(build, declared);
    await store.discard({ projection: 'catalogue', generation: 'v0' }, collections);
    expect(indexes()).toContain('things@v1#workspaceId,batch columns');
    await made;
  });

  it('that dies while it creates indexes: the creation is refused, and succeeds when it is repeated', async () => {
    // The lock makes the thread wait, so that it dies before it answers.
    const other = new DatabaseSync(join(directory, 'read.db'));
    other.exec('BEGIN IMMEDIATE');
    const made = failure(store.prepare(build, declared));
    await new Promise(setImmediate);
    const ended = threads[0]?.terminate();
    other.close();
    await ended;
    expect(await made).toBeInstanceOf(ReadStoreUnavailable);
    expect(indexes()).toEqual(['things@v1#batch columns']);
    await store.prepare(build, declared);
    expect(indexes()).toEqual(['things@v1#batch columns', 'things@v1#workspaceId,batch columns']);
    expect(await store.count('things', { workspaceId: 'w1', batch: 0 })).toBe(20);
  });

  it('has no room for an index: the creation is refused, and documents remain', async () => {
    await store.close();
    await open(34);
    const refused = await failure(store.prepare(build, { things: { indexes: wide } }));
    expect(String(refused)).toContain('The disk of the read store is full. Free some space');
    expect(await store.count('things', {})).toBe(40);
    expect(await store.checkpoint(build)).toBe(1);
    await store.close();
    await open();
    await store.prepare(build, { things: { indexes: wide } });
    expect(indexes()).toHaveLength(wide.length);
  });
});

/** Too large for the database, whose size is limited. */
const wide = Array.from({ length: 30 }, (_, at) => ({ fields: ['batch', `field${at}`] }));
