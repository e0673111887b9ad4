import type { ListConditions, StoredCondition } from '../../access/judging/condition-holders.api.js';
import { type Table, tables } from './table.record.js';

const rightsOfTables = ['read', 'create', 'update', 'delete'] as const;
const rightsOfFields = ['read', 'write'] as const;

export const tableConditions: ListConditions = async (reads, workspaceId, projectId) => {
  const found = await reads.find<Table>(workspaceId, tables.collection.name, { where: { projectId } });
  return found.flatMap(({ id, name, accessRules, fields }): readonly StoredCondition[] => [
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
        const holder = { place: 'table' as const, kind: 'field', id: field.id, name: `${name}.${field.name}` };
        return condition === undefined ? [] : [{ ...holder, operation, condition }];
      }),
    ),
  ]);
};
