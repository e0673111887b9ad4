import type { Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { type DocumentChange, dropIndex, index, type Projection } from '../../../kernel/record/projection.js';
import { recordsProjection } from '../../../kernel/record/record.js';
import type { TableEvent, TableField } from '../table/table.record.js';
import { rows } from './row.record.js';

const { name, indexes } = rows.collection;
const ofRows = recordsProjection(rows, rows.collection);

const tableEvents: readonly TableEvent['type'][] = [
  'TableCreated',
  'TableFieldAdded',
  'TableFieldUpdated',
  'TableFieldRemoved',
  'TableDeleted',
];

/** Values are decrypted. Each indexed or unique field has an index over the rows of the field's table. */
export const rowsProjection: Projection = {
  ...ofRows,
  collections: { [name]: { indexes, searchable: ['values'] } },
  reads: { types: [...rows.types, ...tableEvents] },
  changes: (event) =>
    event.stream.startsWith('table-') ? indexesOf(event as unknown as TableRecorded) : ofRows.changes(event),
};

type TableRecorded = Recorded<TableEvent> & RecordedEvent;

function indexesOf(event: TableRecorded): readonly DocumentChange[] {
  const tableId = parseStream(event.stream).id;
  switch (event.type) {
    case 'TableCreated':
      return event.data.fields.filter(isIndexed).map(({ id }) => index(name, indexOf(tableId, id)));
    case 'TableFieldAdded':
    case 'TableFieldUpdated': {
      const { field } = event.data;
      const needed = indexOf(tableId, field.id);
      return [isIndexed(field) ? index(name, needed) : dropIndex(name, needed)];
    }
    case 'TableFieldRemoved':
      return [dropIndex(name, indexOf(tableId, event.data.fieldId))];
    case 'TableDeleted':
      return [dropIndex(name, { where: { tableId } })];
    case 'TableUpdated':
    case 'TableAccessRulesSet':
      return [];
  }
}

const isIndexed = ({ indexed, unique }: TableField) => indexed || unique;
const indexOf = (tableId: string, fieldId: string) => ({ where: { tableId }, field: `values.${fieldId}` });
