import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { MongoReadStore } from '../../src/adapters/read-store/mongodb/mongo-read-store.adapter.js';
import { CheckpointMoved, ReadStoreUnavailable, type Write } from '../../src/ports/read-store.port.js';
import { collections, filled, idsOf, put, remove, thing, v1, v2 } from '../contracts/read-store-fixture.js';
import { eventually } from '../support/eventually.js';
import type { Mishap } from '../support/mongodb/faults.js';
import { type MongoServer, startMongoServer } from '../support/mongodb/start-mongo-server.js';

const things = 'read.things@v1_0';
const checkpoints = 'read.checkpoints';
const batch: readonly Write[] = [
  put(thing('a', { size: 2 }), 1),
  put(thing('b', { size: 7 }), 2),
  remove('c'),
  { kind: 'removeWhere', collection: 'things', where: { size: { gte: 6 } } },
  put(thing('d', { size: 8 }), 4),
  put(thing('e'), 5, 'notes'),
];

describe('the read store, when MongoDB fails it,', () => {
  let server: MongoServer;
  let stores: MongoReadStore[];
  let store: MongoReadStore;
  const another = (patienceMs = 600) => {
    const opened = new MongoReadStore({ url: server.url, patienceMs });
    stores.push(opened);
    return opened;
  };
  beforeEach(async () => {
    server = await startMongoServer({ members: 2 });
    stores = [];
    store = another();
    await filled(store, [thing('a', { size: 1 }), thing('c')]);
  });
  afterEach(async () => {
    server.heal();
    await Promise.all(stores.map((one) => one.close()));
    await server.close();
  });

  /** What the same batch gives where nothing fails. */
  const undisturbed = async () => {
    await filled(store, [thing('a', { size: 1 }), thing('c')], v2);
    await store.commit(v2, 0, 5, batch);
    return store.digest(v2, collections);
  };
  const again = (work: () => Promise<unknown>) =>
    eventually(
      () => work().then(() => true, ifUnavailable),
      (done) => done,
      5_000,
    );

  it('can write a batch again that was cut off between its documents and its checkpoint', async () => {
    server.fault({ on: 'update', collection: checkpoints, mishap: 'silence before' });
    await expect(store.commit(v1, 0, 5, batch)).rejects.toThrow(ReadStoreUnavailable);
    server.heal();
    const restarted = another();
    await again(() => restarted.checkpoint(v1));
    expect(await restarted.checkpoint(v1)).toBe(0);
    expect(idsOf(await restarted.find('things', { where: {} }))).toEqual(['a', 'd']);
    await restarted.commit(v1, 0, 5, batch);
    expect(await restarted.digest(v1, collections)).toBe(await undisturbed());
  });

  it.each([0, 1, 2, 3, 4, 5])('can write a batch again that was cut off after %d of its writes', async (after) => {
    const hasty = another(250);
    await hasty.checkpoint(v1);
    server.fault({
      on: /^(update|delete)$/,
      collection: /^read\.(.*@v1_0|checkpoints)$/,
      after,
      mishap: 'silence after',
    });
    await expect(hasty.commit(v1, 0, 5, batch)).rejects.toThrow(ReadStoreUnavailable);
    server.heal();
    await again(() => hasty.commit(v1, 0, 5, batch));
    expect(await store.checkpoint(v1)).toBe(5);
    expect(await store.digest(v1, collections)).toBe(await undisturbed());
  });

  it.each<Mishap>(['drop before', 'drop after', { code: 10_107 }, { code: 91 }])(
    'survives one %p anywhere in a commit',
    async (mishap) => {
      const expected = await undisturbed();
      for (const [on, collection] of [
        ['find', checkpoints],
        ['update', things],
        ['update', checkpoints],
      ] as const) {
        server.fault({ on, collection, mishap });
      }
      await again(() => store.commit(v1, 0, 5, batch));
      expect(await store.digest(v1, collections)).toBe(expected);
    },
  );

  it('is unavailable when the connection is lost twice, and takes the same batch later', async () => {
    server.fault({ on: 'update', collection: things, times: 2, mishap: 'drop before' });
    const refused = store.commit(v1, 0, 5, batch);
    await expect(refused).rejects.toThrow(ReadStoreUnavailable);
    await expect(refused).rejects.toThrow(
      'The read store is not available: MongoDB does not answer; check that it runs and that MONGODB_URL leads to it, and try again.',
    );
    expect(await store.checkpoint(v1)).toBe(0);
    await store.commit(v1, 0, 5, batch);
    expect(await store.digest(v1, collections)).toBe(await undisturbed());
  });

  it.each<[Mishap, times: number]>([
    ['drop after', 2],
    [{ writeConcernCode: 64 }, 1],
  ])('knows its own checkpoint again whose answer was lost by %p, and nobody else’s', async (mishap, times) => {
    server.fault({ on: 'update', collection: checkpoints, times, mishap });
    await expect(store.commit(v1, 0, 5, batch)).rejects.toThrow(ReadStoreUnavailable);
    expect(await store.checkpoint(v1)).toBe(5);
    await expect(another().commit(v1, 0, 5, batch)).rejects.toThrow(CheckpointMoved);
    await store.commit(v1, 0, 6, [...batch, put(thing('f'), 6)]);
    expect(await store.checkpoint(v1)).toBe(6);
    await expect(store.commit(v1, 0, 6, [])).rejects.toThrow(CheckpointMoved);
  });

  it('goes on with the next primary, and waits for one while there is none', async () => {
    await store.commit(v1, 0, 1, [put(thing('x'), 1)]);
    server.elect(1);
    await store.commit(v1, 1, 2, [put(thing('y'), 2)]);
    expect(await store.get('things', 'x')).toEqual(thing('x'));
    server.elect(undefined);
    const waiting = store.commit(v1, 2, 3, [put(thing('z'), 3)]);
    await sleep(300);
    server.elect(0);
    await waiting;
    expect(idsOf(await store.find('things', { where: {} }))).toEqual(['a', 'c', 'x', 'y', 'z']);
  });

  it('does not wait for ever for an answer or for a server', async () => {
    server.silence(true);
    const began = performance.now();
    for (const ask of [
      () => store.get('things', 'a'),
      () => store.commit(v1, 0, 5, batch),
      () => store.check(),
      () => another().checkpoint(v1),
    ]) {
      await expect(ask()).rejects.toThrow(ReadStoreUnavailable);
    }
    expect(performance.now() - began).toBeLessThan(15_000);
    server.silence(false);
    await again(() => store.get('things', 'a'));
    await store.commit(v1, 0, 5, batch);
  });

  it('writes nothing more when it was held up and another has taken over meanwhile', async () => {
    const slow = another(4_000);
    server.fault({ on: 'delete', collection: things, mishap: { slowMs: 2_500 } });
    const held = slow.commit(v1, 0, 2, [
      { kind: 'removeWhere', collection: 'things', where: { size: 1 } },
      put(thing('late'), 2),
    ]);
    await sleep(500);
    await store.commit(v1, 0, 9, [put(thing('new'), 9)]);
    await expect(held).rejects.toThrow(CheckpointMoved);
    expect(idsOf(await store.find('things', { where: {} }))).toEqual(['c', 'new']);
    expect(await store.checkpoint(v1)).toBe(9);
  });

  it('never shows who it is to MongoDB', async () => {
    const nobody = new MongoReadStore({ url: 'mongodb://me:hunter2@127.0.0.1:1/', patienceMs: 200 });
    const error: unknown = await nobody.check().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ReadStoreUnavailable);
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
    await nobody.close();
  });

  it('loses and doubles nothing when anything fails at any time', async () => {
    const mishaps: readonly Mishap[] = ['drop before', 'drop after', { code: 10_107 }, { code: 91 }, { slowMs: 30 }];
    let expected = 0;
    const documents = new Map<string, number>();
    for (let round = 1; round <= 30; round += 1) {
      const mishap = mishaps[round % mishaps.length] ?? 'drop before';
      const after = (round * 7) % 5;
      const off = server.fault({ after, times: 1 + (round % 3), mishap });
      const to = expected + 3;
      const writes = [1, 2, 3].map((n) => put(thing(`d${(round * n) % 17}`, { size: expected + n }), expected + n));
      for (const write of writes) if (write.kind === 'put') documents.set(write.document.id, write.position);
      await again(() => store.commit(v1, expected, to, writes));
      expected = to;
      off();
    }
    const found = await store.find<ReturnType<typeof thing>>('things', { where: { size: { gt: 1 } } });
    expect(new Map(found.map(({ id, size }) => [id, size]))).toEqual(new Map([...documents].sort()));
    expect(await store.checkpoint(v1)).toBe(expected);
  });
});

function ifUnavailable(error: unknown): false {
  if (error instanceof ReadStoreUnavailable) return false;
  throw error;
}
