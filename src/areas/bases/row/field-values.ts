import type { Json, JsonObject } from '../../../kernel/json.js';
import type { Table } from '../table/table.record.js';
import type { NewValues } from './row.js';

export function changedValues({ fields }: Table, sent: JsonObject): NewValues {
  return Object.fromEntries(
    fields.filter(({ name }) => Object.hasOwn(sent, name)).map(({ id, name }) => [id, sent[name] as Json]),
  );
}
export const newValues = changedValues;
