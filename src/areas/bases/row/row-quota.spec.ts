import { describe, expect, it } from '@jest/globals';
import type { Reads } from '../../../engine/scopes/reads.js';
import type { Clock } from '../../../ports/clock.port.js';
import { mostRowsOfTable, RowQuota } from './row-quota.js';

const table = { workspaceId: 'ws_1', id: 'tbl_1' };

function scene(counted: number) {
  const world = { counted, asked: 0, now: 0 };
  const reads = {
    count: async () => {
      world.asked += 1;
      return world.counted;
    },
  } as unknown as Reads;
  const room = new RowQuota(reads, { now: () => world.now } as Clock);
  const wants = (wanted: number) =>
    room.mustHaveRoom(table, wanted).then(
      () => {
        world.counted += wanted;
        return 'room';
      },
      (refusal) => refusal.code,
    );
  return { world, wants };
}

describe('a table', () => {
  it('accepts rows up to the limit, and not one more', async () => {
    const { wants } = scene(mostRowsOfTable - 3);
    expect([await wants(2), await wants(2), await wants(1), await wants(1)]).toEqual([
      'room',
      'table-full',
      'room',
      'table-full',
    ]);
  });

  it('has room again after rows were deleted', async () => {
    const { world, wants } = scene(mostRowsOfTable);
    expect(await wants(1)).toBe('table-full');
    world.counted = 10;
    expect(await wants(1)).toBe('room');
  });

  it('is not counted for every row', async () => {
    const { world, wants } = scene(0);
    for (let n = 0; n < 1_000; n += 1) await wants(1);
    expect(world.asked).toBe(1);
    world.now = 3_600_000;
    await wants(1);
    expect(world.asked).toBe(2);
  });
});
