import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SiteVisitor } from '../../app-users/site-pass/site-passes.api.js';
import type { Watching } from '../../bases/row/watch/row-watch.api.js';
import { refuse } from '../realtime.refusals.js';
import { type ListTools, WatchedList } from './watched-list.js';

const who = { projectId: 'proj', workspaceId: 'ws', visitor: {} } as unknown as SiteVisitor;
const asked = { baseId: 'base', table: 'Tasks', filter: undefined };

let told: string[];
let tables: string[];
/** What `watched` answers next. */
let key: string;
let refused: boolean;
/** Failures of the next queries for rows that appear or disappear. */
let failures: (() => never)[];
let queries: number;
let ended: number;
beforeEach(() => {
  [told, tables, key, refused, failures, queries, ended] = [[], [], 'A', false, [], 0, 0];
});

const tools = {
  calls: { visiting: () => ({}) },
  lists: { begin: async () => undefined, add: () => () => ended++ },
  watch: {
    watched: async ({ table }: Watching) => {
      tables.push(table);
      if (refused) refuse('channel-denied');
      return { tableId: 'tbl', baseId: 'base', filter: { any: [] }, matches: () => false, weight: 1, key };
    },
    difference: async (_: unknown, one: { readonly key: string }) => {
      queries++;
      failures.pop()?.();
      return one.key === '' ? [] : [`row of ${one.key}`];
    },
  },
} as unknown as ListTools;
const telling = {
  subscriber: {},
  row: (op: string, rowId: string) => told.push(`${op} ${rowId}`),
  reload: () => told.push('reload'),
  stale: () => undefined,
};
const begun = () => WatchedList.begin(asked, who, {} as never, telling, tools);
const busy = () => refuse('row-queries-taken');

describe('a list whose visitor has other rights now', () => {
  it('reports the rows that disappear and appear, once', async () => {
    const list = await begun();
    key = 'B';
    await list.judgeAgain(who, {} as never);
    await list.judgeAgain(who, {} as never);
    expect(told).toEqual(['gone row of A', 'created row of B']);
  });

  it('is read again if these rows could not be found at first', async () => {
    const list = await begun();
    key = 'B';
    failures = [busy];
    await expect(list.judgeAgain(who, {} as never)).rejects.toThrow();
    expect(told).toEqual([]);
    await list.judgeAgain(who, {} as never);
    expect([told, queries]).toEqual([['reload'], 2]);
    key = 'C';
    await list.judgeAgain(who, {} as never);
    expect(told.slice(1)).toEqual(['gone row of B', 'created row of C']);
  });

  it('ends at the next attempt if these rows could not be found and nothing may be read any more', async () => {
    const list = await begun();
    refused = true;
    failures = [busy];
    await expect(list.judgeAgain(who, {} as never)).rejects.toThrow();
    expect((await list.judgeAgain(who, {} as never))?.code).toBe('channel-denied');
    expect([told, ended]).toEqual([['reload'], 1]);
  });

  it('remains a list of the same table, whichever table has the name now', async () => {
    const list = await begun();
    await list.judgeAgain(who, {} as never);
    refused = true;
    await list.judgeAgain(who, {} as never);
    expect(tables).toEqual(['Tasks', 'tbl', 'tbl']);
  });
});
