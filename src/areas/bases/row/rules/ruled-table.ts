export interface RuledField {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly targetTableId?: string | undefined;
  readonly accessRules?: { readonly read?: unknown; readonly write?: unknown } | undefined;
}

/** Rules refer to fields by name, but documents contain values by field id. */
export interface RuledTable {
  readonly id: string;
  readonly fields: readonly RuledField[];
  readonly accessRules?:
    | { readonly read?: unknown; readonly create?: unknown; readonly update?: unknown; readonly delete?: unknown }
    | undefined;
}

export const fieldNamed = (table: RuledTable, name: string): RuledField | undefined =>
  table.fields.find((field) => field.name === name);

export const valuePath = ({ id }: RuledField): string => `values.${id}`;
