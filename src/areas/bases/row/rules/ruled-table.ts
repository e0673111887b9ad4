/** A field as the rules of rows see it. */
export interface RuledField {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly targetTableId?: string | undefined;
  readonly accessRules?: { readonly read?: unknown; readonly write?: unknown } | undefined;
}

/** A table as the rules of rows see it. Rules name fields by their names; documents hold values by field id. */
export interface RuledTable {
  readonly id: string;
  readonly fields: readonly RuledField[];
  readonly accessRules?:
    | { readonly read?: unknown; readonly create?: unknown; readonly update?: unknown; readonly delete?: unknown }
    | undefined;
}

export const fieldNamed = (table: RuledTable, name: string): RuledField | undefined =>
  table.fields.find((field) => field.name === name);

/** Where a row's document holds the value of a field. */
export const valuePath = ({ id }: RuledField): string => `values.${id}`;
