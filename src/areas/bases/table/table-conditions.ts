import type { HeldCondition, ListHeld } from '../../access/judging/condition-holders.api.js';
import { type Table, tables } from './table.record.js';

const rightsOfTables = ['read', 'create', 'update', 'delete'] as const;
const rightsOfFields = ['read', 'write'] as const;

/** Who may do what with the rows of a site's tables, and with single fields of them where those have rules of their own. */
export const tableConditions: ListHeld = async (reads, workspaceId, projectId) => {
  const found = await reads.find<Table>(workspaceId, tables.collection.name, { where: { projectId } });
  return found.flatMap(({ id, name, accessRules, fields }): readonly HeldCondition[] => [
    ...rightsOfTables.map((operation) => ({
      place: 'table' as const,
      kind: 'table',
      id,
      name,
      operation,
      condition: accessRules[operation] ?? null,
    })),
    ...fields.flatMap((field) =>
      rightsOfFields.flatMap((operation) => {
        const condition = field.accessRules[operation];
        const held = { place: 'table' as const, kind: 'field', id: field.id, name: `${name}.${field.name}` };
        return condition === undefined ? [] : [{ ...held, operation, condition }];
      }),
    ),
  ]);
};
