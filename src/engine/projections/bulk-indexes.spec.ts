import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Projection } from '../../kernel/record/projection.js';
import type { PreparedCollections, ReadStore } from '../../ports/read-store.port.js';
import { BulkIndexes } from './bulk-indexes.js';

const byAge = { fields: ['age'] };
const byPlace = { fields: ['place', 'age'] };
const collections: Projection['collections'] = {
  leaves: { indexes: [byAge, byPlace], searchable: ['values'] },
  twigs: { indexes: [byAge] },
};
const complete: PreparedCollections = {
  leaves: { indexes: [byAge, byPlace], later: [], searchable: ['values'] },
  twigs: { indexes: [byAge], later: [] },
};

describe('the indexes of a build with a long history', () => {
  let prepared: PreparedCollections[];
  let bulk: BulkIndexes;
  let slow: () => Promise<void>;
  let store: ReadStore;
  beforeEach(async () => {
    prepared = [];
    slow = async () => undefined;
    store = {
      prepare: async (_: unknown, some: PreparedCollections) => {
        await slow();
        prepared.push(some);
      },
    } as unknown as ReadStore;
    bulk = new BulkIndexes(collections, { projection: 'tree', generation: 'v1_0' }, store, undefined);
    await bulk.begin();
  });

  it('are omitted at first and made at the end', async () => {
    await bulk.end();
    const bare = {
      leaves: { indexes: [], later: [byAge, byPlace], searchable: ['values'] },
      twigs: { indexes: [], later: [byAge] },
    };
    expect(prepared).toEqual([bare, complete]);
  });

  it('are made at first if their keys ascend', async () => {
    const byTime = { fields: ['at'], ascends: true as const };
    const rings = { rings: { indexes: [byAge, byTime] } };
    await new BulkIndexes(rings, { projection: 'tree', generation: 'v1_0' }, store, undefined).begin();
    expect(prepared.slice(1)).toEqual([{ rings: { indexes: [byTime], later: [byAge] } }]);
  });

  it('are made once for removals: the one that covers most of their fields', async () => {
    await bulk.beforeRemoval('leaves', { place: 'top', age: { lte: 3 } });
    await bulk.beforeRemoval('leaves', { place: 'top' });
    expect(prepared.slice(1)).toEqual([
      {
        leaves: { indexes: [byPlace], later: [byAge], searchable: ['values'] },
        twigs: { indexes: [], later: [byAge] },
      },
    ]);
  });

  it('are not made for removals that none of them serves', async () => {
    await bulk.beforeRemoval('twigs', { colour: 'green' });
    expect(prepared).toHaveLength(1);
  });

  it('are all there after a removal that arrives while they are made', async () => {
    let isPreparing = false;
    slow = async () => {
      expect(isPreparing).toBe(false);
      isPreparing = true;
      await setImmediate();
      isPreparing = false;
    };
    await Promise.all([
      bulk.beforeRemoval('leaves', { age: 1 }),
      bulk.end(),
      bulk.beforeRemoval('twigs', { age: 2 }),
      setImmediate().then(() => bulk.beforeRemoval('leaves', { place: 'top' })),
    ]);
    expect(prepared.at(-1)).toEqual(complete);
  });

  it('are made even if an earlier attempt failed', async () => {
    slow = async () => {
      throw new Error('The store is away.');
    };
    await expect(bulk.beforeRemoval('leaves', { age: 1 })).rejects.toThrow('away');
    slow = async () => undefined;
    await bulk.end();
    expect(prepared.at(-1)).toEqual(complete);
  });

  it('are omitted only for a long history', () => {
    expect(BulkIndexes.pays(-1, 10)).toBe(false);
    expect(BulkIndexes.pays(-1, 1_000_000)).toBe(true);
    expect(BulkIndexes.pays(999_990, 1_000_000)).toBe(false);
  });
});
