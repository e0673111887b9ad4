import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import type { Metrics } from '../../../engine/health/metrics.js';
import type { RowChange, RowChanges } from '../../bases/row/watch/row-changes.api.js';
import { RowLists } from './row-lists.api.js';

let clock: MadeUpClock;
let changed: (changes: readonly RowChange[]) => void;
let told: string[];
beforeEach(() => {
  clock = new MadeUpClock();
  told = [];
  const changes = {
    on: (hearing: { changed: typeof changed }) => {
      changed = hearing.changed;
    },
  };
  const lists = new RowLists(changes as unknown as RowChanges, clock, { gauge: () => undefined } as unknown as Metrics);
  lists.add({
    projectId: 'proj',
    watched: { tableId: 'tbl', baseId: 'base', filter: { all: [] }, key: 'all', followsRows: false },
    tell: (op, rowId) => told.push(`${op} ${rowId}`),
    reload: () => told.push('reload'),
    stale: () => undefined,
  });
});

const row = (id: string) => ({ id }) as unknown as RowChange['after'];
const created = (rowId: string): RowChange => ({
  workspaceId: 'ws',
  tableId: 'tbl',
  rowId,
  before: undefined,
  after: row(rowId),
});
const many = (from: number, count: number) => Array.from({ length: count }, (_, n) => created(`r${from + n}`));

describe('subscribers to a list of rows', () => {
  it('get one message for changes of a row within 100 ms', () => {
    changed([created('r1')]);
    changed([{ ...created('r1'), before: row('r1') }, created('r2')]);
    changed([{ ...created('r2'), before: row('r2'), after: undefined }]);
    clock.advance(99);
    expect(told).toEqual([]);
    clock.advance(1);
    expect(told).toEqual(['created r1']);
  });

  it('get one message to reload if more than a thousand change in a second, for all later ones', () => {
    changed(many(0, 1_000));
    clock.advance(100);
    expect(told).toHaveLength(1_000);
    changed(many(1_000, 1));
    clock.advance(100);
    changed(many(2_000, 500));
    clock.advance(899);
    expect(told).toHaveLength(1_000);
    clock.advance(1);
    expect(told.slice(1_000)).toEqual(['reload']);
    changed([created('later')]);
    clock.advance(100);
    expect(told.at(-1)).toBe('created later');
  });

  it('get a message to reload after an erasure of a row, whose former state is unknown', () => {
    changed([created('r1'), { ...created('r2'), before: 'erased', after: undefined }]);
    clock.advance(100);
    expect(told).toEqual(['reload']);
  });
});
