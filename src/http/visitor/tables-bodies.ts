import { ChangedRowShape, longestPage, mostAtOnce, rowParams } from '../../areas/bases/row/row-shapes.api.js';
import { FieldRecord, TableRecord } from '../../areas/bases/table/table-shapes.api.js';
import { Field, type FieldSpec } from '../../kernel/field/field.js';
import { picks } from './visitor-shapes.js';

/** Fields are named like the parameters of `ctx.tables` (Sites supplement, 6). */
export class OfTable {
  @Field({ type: 'string', minLength: 1, maxLength: 200, description: 'Name or id of the table.' }) table!: string;
}

const most = { type: 'integer', minimum: 1, maximum: longestPage, optional: true } as const satisfies FieldSpec;

export class GetRowsBody extends OfTable {}
picks(GetRowsBody, rowParams, ['filter', 'sort', 'limit', 'cursor']);

export class OneRowBody extends OfTable {}
picks(OneRowBody, rowParams, ['id']);

export class SearchRowsBody extends OfTable {
  @Field({ type: 'string', minLength: 1, maxLength: 1_000, description: 'Text to find in any text field.' })
  text!: string;
  @Field({ ...most, default: 100 }) limit?: number;
}

export class FilterRowsBody extends OfTable {
  @Field({ type: 'object', maxBytes: 1_000_000, description: 'A filter, as for getRows.' }) filter!: object;
}
picks(FilterRowsBody, rowParams, ['sort', 'limit']);

export class CountRowsBody extends OfTable {}
picks(CountRowsBody, rowParams, ['filter']);

export class ReadAllBody extends OfTable {
  @Field({ type: 'integer', minimum: 1, optional: true, description: 'Maximum number of rows.' }) maxRows?: number;
}
picks(ReadAllBody, rowParams, ['filter', 'sort']);

export class ReportBody extends OfTable {}
picks(ReportBody, rowParams, ['spec']);

export class CreateRowBody extends OfTable {}
picks(CreateRowBody, rowParams, ['values']);

export class UpdateRowBody extends OfTable {}
picks(UpdateRowBody, rowParams, ['id', 'values']);

export class UpsertRowBody extends OfTable {}
picks(UpsertRowBody, rowParams, ['match', 'values']);

class ChangedRow {}
picks(ChangedRow, ChangedRowShape, ['id', 'values']);

export class BulkUpdateBody extends OfTable {
  @Field({ type: 'array', items: () => ChangedRow, maxItems: mostAtOnce }) rows!: readonly object[];
}

export class BulkDeleteBody extends OfTable {}
picks(BulkDeleteBody, rowParams, ['ids']);

export class ListedTable {}
picks(ListedTable, TableRecord, ['id', 'name', 'description']);

class ShownField {}
picks(ShownField, FieldRecord, [
  ...['id', 'name', 'type', 'required', 'unique', 'indexed', 'options', 'targetTableId'],
]);

export class TableSchema extends ListedTable {
  @Field({ type: 'array', items: () => ShownField, description: 'Fields that the visitor may read.' })
  fields!: readonly object[];
}
