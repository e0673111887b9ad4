import type { RequestedName } from '../../../engine/commands/reservation-requests.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { refuse } from '../bases.refusals.js';
import type { Table } from '../table/table.record.js';
import { type RowValues, rows, uniqueValue, valueName } from './row.record.js';

export interface ValuesChange {
  readonly id: string;
  readonly before: RowValues;
  readonly after: RowValues;
}

type UniqueTable = Pick<Table, 'id' | 'workspaceId' | 'fields'>;

export function uniqueNamesOf(table: UniqueTable, { id, before, after }: ValuesChange): readonly RequestedName[] {
  const holder = streamOf(rows.category, table.workspaceId, id);
  return table.fields.flatMap((field) => {
    if (!field.unique) return [];
    const name = valueName({ tableId: table.id, values: after }, table.id, field.id);
    if (name === undefined || name === valueName({ tableId: table.id, values: before }, table.id, field.id)) return [];
    const taken = () => refuse('row-value-taken', { field: field.name });
    return [{ reservation: uniqueValue(table.id, field.id)(name, holder), taken }];
  });
}
