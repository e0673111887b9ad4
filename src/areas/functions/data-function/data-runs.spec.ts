import { expect, test } from '@jest/globals';
import { refuse } from '../../bases/bases.refusals.js';
import type { Rows } from '../../bases/row/rows.api.js';
import type { FunctionDocument } from '../function/function.record.js';
import type { RunRequest } from '../run/run-request.api.js';
import { DataRuns } from './data-runs.api.js';

const unused = null as never;
const table = { id: 'tbl_1', baseId: 'base_1', fields: [{ id: 'fld_1', name: 'status' }] };
const definition = {
  kind: 'delete',
  table: 'Orders',
  filter: { status: 'open' },
  ids: { table: 'tbl_1', fields: { status: 'fld_1' } },
};
const fn = {
  id: 'fn_1',
  name: 'tidy',
  projectId: 'prj_1',
  definition,
  capabilities: [],
} as unknown as FunctionDocument;
const request = {
  workspaceId: 'ws_1',
  params: {},
  actor: { kind: 'api', id: 'x', name: 'X' },
} as unknown as RunRequest;

test('a data function of kind delete deletes no row that has changed since it matched', async () => {
  const stored = new Map([['row_1', { status: 'open', updatedAt: '2026-01-01T00:00:00.000Z' }]]);
  const rows = {
    table: async () => table,
    getRows: async () => {
      const hit = [...stored].filter(([, { status }]) => status === 'open');
      const found = hit.map(([id, { updatedAt }]) => ({ id, updatedAt }));
      stored.set('row_1', { status: 'paid', updatedAt: '2026-01-02T00:00:00.000Z' });
      return { rows: found, total: found.length };
    },
    deleteRows: async (...[, , , sent]: Parameters<Rows['deleteRows']>) => {
      for (const { id, seenUpdatedAt } of sent) {
        if (seenUpdatedAt !== stored.get(id)?.updatedAt) refuse('row-changed-since');
        stored.delete(id);
      }
    },
  } as unknown as Rows;
  const reads = { get: async () => ({ id: 'prj_1', linkedBaseId: 'base_1' }) } as never;
  const runs = new DataRuns(rows, reads, { within: () => ({}) } as never, unused, unused);
  expect(await runs.outcome(request, fn)).toMatchObject({ ok: true, result: { deleted: 0 } });
  expect([...stored.keys()]).toEqual(['row_1']);
});
