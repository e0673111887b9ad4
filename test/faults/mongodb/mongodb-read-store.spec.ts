import { inspect } from 'node:util';
import { MongoReadStore } from '../../../src/adapters/read-store/mongodb/mongo-read-store.adapter.js';
import { CheckpointMoved, ReadStoreUnavailable, type Write } from '../../../src/ports/read-store.port.js';
import {
  collections,
  filled,
  idsOf,
  put,
  remove,
  thing,
  v1,
  v2,
} from '../../contracts/read-store/read-store-fixture.js';
import { takes } from '../../support/clocks/delays.js';
import { eventually } from '../../support/eventually.js';
import type { Mishap } from '../../support/mongodb/faults.js';
import { type MongoServer, startMongoServer } from '../../support/mongodb/start-mongo-server.js';

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

  /** The digest after the same batch without faults. */
  const undisturbed = async () => {
    await filled(store, [thing('a', { size: 1 }), thing('c')], v2);
    await store.commit(v2, 0, 5, batch);
    return store.digest(v2, collections);
  };
  /** Waits until the server has begun the last fault. */
  const struck = () =>
    eventually(
      async () => server.faults,
      (left) => left === 0,
    );
  const again = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    let done: T | undefined;
    const tried = () =>
      work().then((result) => {
        done = result;
        return true;
      }, ifUnavailable);
    await eventually(tried, (is) => is);
    return done;
  };

  it('shows nothing of an interrupted batch, and can write it again', async () => {
    const before = await store.digest(v1, collections);
    server.fault({ on: 'commitTransaction', mishap: 'silence before' });
    await expect(store.commit(v1, 0, 5, batch)).rejects.toThrow(ReadStoreUnavailable);
    server.heal();
    const restarted = another();
    expect(await again(() => restarted.checkpoint(v1))).toBe(0);
    expect(await restarted.digest(v1, collections)).toBe(before);
    await again(() => restarted.commit(v1, 0, 5, batch));
    expect(await restarted.digest(v1, collections)).toBe(await undisturbed());
  });

  it.each([0, 1, 2, 3, 4, 5])(
    'can write a batch again that was interrupted after %d of its commands',
    async (after) => {
      const hasty = another(250);
      await hasty.checkpoint(v1);
      server.fault({ on: /^(insert|update|delete|commitTransaction)$/, after, mishap: 'silence after' });
      await expect(hasty.commit(v1, 0, 5, batch)).rejects.toThrow(ReadStoreUnavailable);
      server.heal();
      await again(() => hasty.commit(v1, 0, 5, batch));
      expect(await store.checkpoint(v1)).toBe(5);
      expect(await store.digest(v1, collections)).toBe(await undisturbed());
    },
  );

  it.each<Mishap>(['drop before', 'drop after', { code: 10_107 }, { code: 91 }])(
    'survives one %p anywhere in a commit',
    async (mishap) => {
      const expected = await undisturbed();
      server.fault({ on: 'update', collection: checkpoints, mishap });
      server.fault({ on: 'update', collection: things, mishap });
      server.fault({ on: 'commitTransaction', mishap });
      await again(() => store.commit(v1, 0, 5, batch));
      expect(await store.digest(v1, collections)).toBe(expected);
    },
  );

  it('is unavailable while the connection is lost, and accepts the same batch later', async () => {
    const off = server.fault({ on: 'update', collection: things, times: 1_000, mishap: 'drop before' });
    const refused = store.commit(v1, 0, 5, batch);
    await expect(refused).rejects.toThrow(ReadStoreUnavailable);
    await expect(refused).rejects.toThrow(
      'The read store is not available: MongoDB does not answer; check that it runs and that MONGODB_URL leads to it, and try again.',
    );
    off();
    expect(await store.checkpoint(v1)).toBe(0);
    await again(() => store.commit(v1, 0, 5, batch));
    expect(await store.digest(v1, collections)).toBe(await undisturbed());
  });

  it.each<[Mishap, times: number]>([
    ['drop after', 2],
    [{ writeConcernCode: 64 }, 1],
  ])("recognises its own checkpoint after its answer was lost by %p, but no other process's", async (mishap, times) => {
    server.fault({ on: 'commitTransaction', times, mishap });
    await expect(store.commit(v1, 0, 5, batch)).rejects.toThrow(ReadStoreUnavailable);
    expect(await store.checkpoint(v1)).toBe(5);
    await expect(another().commit(v1, 0, 5, batch)).rejects.toThrow(CheckpointMoved);
    await store.commit(v1, 0, 6, [...batch, put(thing('f'), 6)]);
    expect(await store.checkpoint(v1)).toBe(6);
    await expect(store.commit(v1, 0, 6, [])).rejects.toThrow(CheckpointMoved);
  });

  it('continues with the next primary, and waits for one if there is none', async () => {
    await store.commit(v1, 0, 1, [put(thing('x'), 1)]);
    server.elect(1);
    await store.commit(v1, 1, 2, [put(thing('y'), 2)]);
    expect(await store.get('things', 'x')).toEqual(thing('x'));
    server.elect(undefined);
    const waiting = store.commit(v1, 2, 3, [put(thing('z'), 3)]);
    // Time without a primary.
    await takes(300);
    server.elect(0);
    await waiting;
    expect(idsOf(await store.find('things', { where: {} }))).toEqual(['a', 'c', 'x', 'y', 'z']);
  });

  it('does not wait forever for an answer or for a server', async () => {
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

  it('writes nothing if it was delayed and another process has taken over', async () => {
    const slow = another(4_000);
    server.fault({ on: 'update', collection: checkpoints, mishap: { slowMs: 2_500 } });
    const held = settled(
      slow.commit(v1, 0, 2, [{ kind: 'removeWhere', collection: 'things', where: { size: 1 } }, put(thing('late'), 2)]),
    );
    await struck();
    await store.commit(v1, 0, 9, [put(thing('new'), 9)]);
    expect(await held).toBeInstanceOf(CheckpointMoved);
    expect(idsOf(await store.find('things', { where: {} }))).toEqual(['a', 'c', 'new']);
    expect(await store.checkpoint(v1)).toBe(9);
  });

  it('restores nothing that was removed since, if one of its writes was delayed', async () => {
    const slow = another(8_000);
    server.fault({ on: 'update', collection: things, mishap: { slowMs: 3_000 } });
    const held = settled(slow.commit(v1, 0, 3, [put(thing('gone'), 2)]));
    await struck();
    await again(() => store.commit(v1, 0, 3, [put(thing('gone'), 2)]));
    await store.commit(v1, 3, 5, [remove('gone')]);
    expect(await held).toBeInstanceOf(CheckpointMoved);
    expect(await store.get('things', 'gone')).toBeUndefined();
    expect(await store.checkpoint(v1)).toBe(5);
  });

  it('does not create a collection again if its build was discarded while the writer was delayed', async () => {
    await store.prepare(v2, collections);
    const slow = another(4_000);
    server.fault({ on: 'update', collection: checkpoints, mishap: { slowMs: 1_000 } });
    const held = settled(slow.commit(v2, -1, 3, [put(thing('late'), 3)]));
    await struck();
    await store.discard(v2, collections);
    expect(await held).toBeInstanceOf(CheckpointMoved);
    expect(await store.builds(v2.projection)).toEqual([v1.generation]);
    const made = server.seen.filter(
      ({ name, command }) => name === 'update' && command['update'] === 'read.things@v2_0',
    );
    expect(made).toEqual([]);
  });

  describe('after the election of a server that lacks acknowledged writes,', () => {
    let follower: MongoReadStore;
    beforeEach(async () => {
      follower = another();
      await store.commit(v1, 0, 10, [put(thing('a', { size: 10 }), 10)]);
      server.trail('news');
      await store.commit(v1, 10, 15, [put(thing('a', { size: 15 }), 15)]);
      expect(await follower.checkpoint(v1)).toBe(15);
      server.elect(1);
    });

    it.each(['the one that has written', 'one that has seen how far it is written'])(
      '%s waits until the server has them',
      async (who) => {
        const stranger = another();
        expect(await again(() => stranger.get('things', 'a'))).toEqual(thing('a', { size: 10 }));
        const read = (who.startsWith('the') ? store : follower).get('things', 'a');
        await eventually(
          async () => server.waiting,
          (waiting) => waiting === 1,
        );
        server.trail(undefined);
        expect(await read).toEqual(thing('a', { size: 15 }));
      },
    );

    it('no process overwrites a document that has changed since it was loaded', async () => {
      const stranger = another();
      const stale = await again(() => stranger.load(v1, 'things', ['a']));
      expect(stale?.get('a')?.position).toBe(10);
      server.trail(undefined);
      const write = { ...put(thing('a', { size: 20 }), 20), over: 10 } as Write;
      const refused = stranger.commit(v1, 15, 20, [write]);
      await expect(refused).rejects.toThrow(ReadStoreUnavailable);
      await expect(refused).rejects.toThrow('differs from the version that was read');
      expect([await store.checkpoint(v1), await store.get('things', 'a')]).toEqual([15, thing('a', { size: 15 })]);
      await stranger.commit(v1, 15, 20, [{ ...write, over: 15 } as Write]);
      expect(await store.get('things', 'a')).toEqual(thing('a', { size: 20 }));
    });

    it('no process creates a document that exists unseen', async () => {
      server.trail(undefined);
      const write = { ...put(thing('a', { size: 20 }), 20), over: null } as Write;
      await expect(store.commit(v1, 15, 20, [write])).rejects.toThrow('differs from the version that was read');
      expect([await store.checkpoint(v1), await store.get('things', 'a')]).toEqual([15, thing('a', { size: 15 })]);
    });
  });

  it.each([true, false])(
    'does not mistake another writer for itself while no writes are acknowledged (with documents: %p)',
    async (has) => {
      const writes = has ? batch : [];
      server.trail('writes');
      await expect(store.commit(v1, 0, 5, writes)).rejects.toThrow('did not finish in time');
      await expect(store.commit(v1, 0, 5, writes)).rejects.toThrow(ReadStoreUnavailable);
      server.trail(undefined);
      await store.commit(v1, 0, 5, writes);
      expect(await store.checkpoint(v1)).toBe(5);
      if (has) expect(await store.digest(v1, collections)).toBe(await undisturbed());
    },
  );

  it('reports it when all connections are in use', async () => {
    const narrow = new MongoReadStore({ url: `${server.url}&maxPoolSize=1`, patienceMs: 300 });
    stores.push(narrow);
    await narrow.get('things', 'a');
    server.fault({ on: 'find', collection: things, mishap: { slowMs: 550 } });
    const slow = narrow.get('things', 'a');
    await expect(narrow.get('things', 'a')).rejects.toThrow('all connections to MongoDB that MONGODB_URL allows');
    await slow;
  });

  it('never reveals its credentials to MongoDB', async () => {
    const nobody = new MongoReadStore({ url: 'mongodb://me:hunter2@127.0.0.1:1/', patienceMs: 200 });
    const error: unknown = await nobody.check().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ReadStoreUnavailable);
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
    await nobody.close();
  });

  it('loses and duplicates nothing if anything fails at any time', async () => {
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

const settled = (work: Promise<unknown>) => work.catch((error: unknown) => error);

function ifUnavailable(error: unknown): false {
  if (error instanceof ReadStoreUnavailable) return false;
  throw error;
}
