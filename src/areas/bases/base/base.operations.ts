import { success } from '../../../engine/operation/operation.js';
import { shown } from '../../../engine/operation/shown.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { showsAs } from '../../../engine/records/record-views.js';
import { resource } from '../../../engine/records/resource.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { TableRecord } from '../table/table-shapes.api.js';
import { TableView } from '../table/table-view.api.js';
import { deleteBase, deleteTablesOf } from './base.js';
import { bases } from './base.record.js';

const declared = { source: 'Supplementary, bases', group: 'bases', tools: 'granted' } as const;

const base = resource(bases, {
  ...declared,
  reads: 'site.read',
  edits: 'site.edit',
  id: 'base',
  answer: {
    called: 'BaseRecord',
    also: { createdAt: { type: 'string' }, tables: { type: 'array', items: () => TableRecord } },
    order: ['name', 'description', 'projectId', 'createdAt', 'tables'],
    dates: [],
  },
  inject: [TableView],
  beside: async (one, _, tables) => ({ tables: await tables.ofBase(one) }),
});

// A past state of a base is shown without its tables, because they are separate records.
showsAs(bases, ({ tables: _, ...alone }) => shown(base.shape, alone));

export const baseOperations = [
  base.list('bases/listBases', {
    summary: 'Lists the bases of the workspace with their tables, oldest first.',
  }),
  base.get('bases/getBase', { summary: 'Returns a base with its tables.' }),
  base.create('bases/createBase', {
    summary: "Creates a base that belongs to no project. A project's own base is created with the project.",
  }),
  base.update('bases/updateBase', { summary: 'Updates a base.' }),
  recordCommand('bases/deleteBase', {
    ...declared,
    summary:
      "Permanently deletes a base with its tables and rows. A project's own base can only be deleted with the project.",
    permission: 'site.edit',
    takesAway: true,
    outside: ['destroys rows for good'],
    answers: success,
    input: { id: idField },
    record: bases,
    id: ({ id }) => id,
    decide: deleteBase,
    alongside: (before) => (before === undefined ? [] : deleteTablesOf(before)),
  }),
];
