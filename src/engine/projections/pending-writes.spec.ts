import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Document } from '../../kernel/record/projection.js';
import type { Build, PositionedDocument, Write } from '../../ports/read-store.port.js';
import { PendingWrites } from './pending-writes.js';

const build: Build = { projection: 'tree', generation: 'v1_0' };
const leaf = (id: string): Document => ({ id, workspaceId: 'ws' });
const put = (id: string, position: number, over: number | null): Write => ({
  kind: 'put',
  collection: 'leaves',
  document: leaf(id),
  position,
  over,
});

describe('documents of rounds that are being written', () => {
  let asked: (readonly string[])[];
  let remembers: boolean;
  let pending: PendingWrites;
  beforeEach(() => {
    asked = [];
    remembers = true;
    const load = async (
      _: Build,
      __: string,
      ids: readonly string[],
    ): Promise<ReadonlyMap<string, PositionedDocument>> => {
      asked.push(ids);
      return new Map(ids.map((id) => [id, { document: leaf(id), position: 0 }]));
    };
    pending = new PendingWrites({ load }, () => remembers);
  });
  const positions = async (...ids: string[]) =>
    [...(await pending.load(build, 'leaves', ids))].map(([id, { position }]) => `${id} ${position}`).sort();

  it('are read in their new state, and all others as they are stored', async () => {
    pending.begin([put('a', 7, 3), { kind: 'remove', collection: 'leaves', id: 'b' }]);
    expect(await positions('a', 'b', 'c')).toEqual(['a 7', 'c 0']);
    expect(asked).toEqual([['c']]);
  });

  it('are read in the state of the latest round, and of the round before it', async () => {
    pending.begin([put('a', 6, null), put('b', 6, null), put('c', 6, null)]);
    pending.begin([put('a', 7, 6), put('b', 7, 6)]);
    pending.begin([put('a', 8, 7)]);
    expect(await positions('a', 'b', 'c')).toEqual(['a 8', 'b 7', 'c 0']);
    expect(asked).toEqual([['c']]);
  });

  it('are cached later if they existed before', async () => {
    pending.begin([put('a', 7, 3), put('b', 7, null)]);
    pending.written();
    expect(await positions('a', 'b')).toEqual(['a 7', 'b 0']);
  });

  it('are not cached if others may write, too', async () => {
    remembers = false;
    pending.begin([put('a', 7, 3)]);
    pending.written();
    expect(await positions('a')).toEqual(['a 0']);
  });

  it('are dropped when they are removed later', async () => {
    pending.begin([put('a', 7, 3)]);
    pending.begin([{ kind: 'remove', collection: 'leaves', id: 'a' }]);
    pending.written();
    await positions('a');
    expect(asked).toEqual([['a']]);
  });

  it('are unknown while documents are removed by condition', async () => {
    pending.begin([put('a', 7, 3)]);
    expect(pending.begin([put('c', 8, 2), { kind: 'removeWhere', collection: 'leaves', where: {} }])).toBe(false);
    expect(await positions('a', 'c')).toEqual(['a 0', 'c 0']);
  });
});
