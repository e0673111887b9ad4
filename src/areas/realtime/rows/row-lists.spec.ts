import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import type { Metrics } from '../../../engine/health/metrics.js';
import type { RowChange, RowChanges } from '../../bases/row/watch/row-changes.api.js';
import { type RowList, RowLists } from './row-lists.api.js';

let clock: MadeUpClock;
let changed: (changes: readonly RowChange[]) => void;
let told: string[];
let lists: RowLists;
beforeEach(() => {
  clock = new MadeUpClock();
  told = [];
  const changes = {
    on: (hearing: { changed: typeof changed }) => {
      changed = hearing.changed;
    },
  };
  lists = new RowLists(changes as unknown as RowChanges, clock, { gauge: () => undefined } as unknown as Metrics);
});

interface Following {
  readonly tableId?: string;
  readonly key?: string;
  readonly weight?: number;
  readonly subscriber?: object;
  readonly as?: string;
}

function follow({ tableId = 'tbl', key = 'all', weight = 1, subscriber = {}, as = '' }: Following = {}) {
  const watched = { tableId, baseId: 'base', filter: { all: [] }, weight, key, followsRows: false };
  const list: RowList = {
    projectId: 'proj',
    subscriber,
    watched: { ...watched, matches: () => true },
    report: (op, rowId) => told.push(`${as}${op} ${rowId}`),
    reload: () => told.push(`${as}reload`),
    stale: () => undefined,
  };
  return lists.add(list);
}

const row = (id: string) => ({ id }) as unknown as RowChange['after'];
const created = (rowId: string): RowChange => ({
  workspaceId: 'ws',
  tableId: 'tbl',
  rowId,
  before: undefined,
  after: row(rowId),
});
const many = (from: number, count: number, tableId = 'tbl') =>
  Array.from({ length: count }, (_, n) => ({ ...created(`r${from + n}`), tableId }));
/** Waits for all reports. Returns the numbers of messages between two turns of other work. */
const inTurns = async () => {
  const seen = [0, told.length];
  for (let turn = 0; turn < 10; turn++) {
    await nextTurn();
    seen.push(told.length);
  }
  return seen.map((count, at) => count - (seen[at - 1] ?? 0)).filter((count) => count > 0);
};
/** Number of messages to each list, named by its first letter. */
const counts = () => {
  const all: Record<string, number> = {};
  for (const [letter = ''] of told) all[letter] = (all[letter] ?? 0) + 1;
  return all;
};

describe('subscribers to a list of rows', () => {
  it('get one message for changes of a row within 100 ms', () => {
    follow();
    changed([created('r1')]);
    changed([{ ...created('r1'), before: row('r1') }, created('r2')]);
    changed([{ ...created('r2'), before: row('r2'), after: undefined }]);
    clock.advance(99);
    expect(told).toEqual([]);
    clock.advance(1);
    expect(told).toEqual(['created r1']);
  });

  it('get one message to reload if more than a thousand change in a second, for all later ones', () => {
    follow();
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
    follow();
    changed([created('r1'), { ...created('r2'), before: 'erased', after: undefined }]);
    clock.advance(100);
    expect(told).toEqual(['reload']);
  });
});

describe('the limit of a thousand a second', () => {
  it('is one for all lists of a connection, and separate for each connection', async () => {
    const subscriber = {};
    follow({ subscriber, as: 'a ' });
    follow({ subscriber, as: 'b ' });
    follow({ as: 'c ' });
    changed(many(0, 600));
    clock.advance(100);
    await inTurns();
    expect(counts()).toEqual({ a: 600, c: 600 });
    clock.advance(1_000);
    expect(told.slice(1_200)).toEqual(['b reload']);
  });

  it('counts a list with a long filter by its weight', () => {
    follow({ weight: 11 });
    changed(many(0, 90));
    clock.advance(100);
    expect(told).toHaveLength(90);
    changed(many(90, 1));
    clock.advance(1_000);
    expect(told.slice(90)).toEqual(['reload']);
  });

  it('is not waited for by a list that has ended', () => {
    const stop = follow();
    changed(many(0, 1_001));
    clock.advance(100);
    stop();
    clock.advance(1_000);
    expect(told).toEqual([]);
  });
});

describe('many reports', () => {
  const letters = ['a', 'b', 'c', 'd'];

  it('let other work have its turn between two lists, also if other lists have the same rows', async () => {
    for (const letter of letters) follow({ as: `${letter} ` });
    changed(many(0, 500));
    clock.advance(100);
    expect(await inTurns()).toEqual([500, 500, 500, 500]);
    expect(counts()).toEqual({ a: 500, b: 500, c: 500, d: 500 });
  });

  it('of several tables share the turns', async () => {
    for (const tableId of letters) follow({ tableId, as: `${tableId} ` });
    follow({ tableId: 'a', as: 'a ' });
    changed(letters.flatMap((tableId) => many(0, 500, tableId)));
    clock.advance(100);
    expect(await inTurns()).toEqual([500, 500, 500, 500, 500]);
    expect(counts()).toEqual({ a: 1_000, b: 500, c: 500, d: 500 });
  });

  it('keep the order of a table, whose later changes wait', async () => {
    for (const letter of letters) follow({ as: `${letter} ` });
    changed(many(0, 500));
    clock.advance(100);
    changed([{ ...created('r0'), before: row('r0'), after: undefined }]);
    clock.advance(100);
    expect(counts()).toEqual({ a: 500 });
    await inTurns();
    expect(told.filter((one) => one.endsWith(' r0'))).toEqual(letters.map((letter) => `${letter} created r0`));
    clock.advance(100);
    expect(told.slice(-4)).toEqual(letters.map((letter) => `${letter} gone r0`));
  });

  it('do not reach a list that has ended before its turn', async () => {
    follow({ as: 'a ' });
    const stop = follow({ as: 'b ' });
    changed(many(0, 500));
    clock.advance(100);
    stop();
    expect(await inTurns()).toEqual([500]);
    expect(counts()).toEqual({ a: 500 });
  });
});
