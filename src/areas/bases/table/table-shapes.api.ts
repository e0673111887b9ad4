import type { Condition } from '../../../kernel/condition/condition.js';
import { Field, typed } from '../../../kernel/field/field.js';
import { wrongFieldName } from './field-names.api.js';
import { mostFields } from './fields.js';
import { type FieldType, fieldTypes } from './table.record.js';

const flag = { type: 'boolean', optional: true } as const;
const condition = { type: 'any', optional: true, nullable: true } as const;
const shownCondition = { type: 'any', optional: true } as const;

export const fieldNameField = typed<string>()({
  type: 'any',
  schema: { type: 'string', minLength: 1, maxLength: 64 },
  wrong: wrongFieldName,
  description: 'Unique in the table. Case-sensitive.',
});
export const optionsField = {
  type: 'array',
  items: 'string',
  optional: true,
  description: 'Only for `select` and `multiSelect`: the allowed values.',
} as const;

export class FieldRulesShape {
  @Field({
    ...condition,
    description: 'An access condition. If omitted or null, everyone who may read the row may read the field.',
  })
  read?: Condition | null;
  @Field({
    ...condition,
    description: 'An access condition. If omitted or null, everyone who may write the row may write the field.',
  })
  write?: Condition | null;
}

export class TableRulesShape {
  @Field({
    ...condition,
    description: 'An access condition. If omitted, null or empty, only members of the workspace have access.',
  })
  read?: Condition | null;
  @Field({ ...condition, description: 'Evaluated against the new row.' }) create?: Condition | null;
  @Field({ ...condition, description: 'Evaluated against the row before the update.' }) update?: Condition | null;
  @Field({ ...condition, description: 'Evaluated against the row.' }) delete?: Condition | null;
}

export class NewFieldShape {
  @Field(fieldNameField) name!: string;
  @Field({ type: 'string', enum: fieldTypes }) type!: FieldType;
  @Field(flag) required?: boolean;
  @Field({ ...flag, description: 'Whether values must be unique among the rows of the table.' }) unique?: boolean;
  @Field({ ...flag, description: 'Whether the field is indexed, so that filtering by it stays fast in large tables.' })
  indexed?: boolean;
  @Field(optionsField) options?: readonly string[];
  @Field({
    type: 'string',
    minLength: 1,
    maxLength: 200,
    optional: true,
    description: "Only for `relation`: the id of the related table, in the same base. It may be the field's own table.",
  })
  targetTableId?: string;
  @Field({ type: 'object', shape: () => FieldRulesShape, optional: true }) accessRules?: FieldRulesShape;
}

export const fieldsField = {
  type: 'array',
  items: () => NewFieldShape,
  maxItems: mostFields,
  optional: true,
} as const;

class ShownFieldRules {
  @Field(shownCondition) read?: Condition;
  @Field(shownCondition) write?: Condition;
}

class ShownTableRules {
  @Field(shownCondition) read?: Condition;
  @Field(shownCondition) create?: Condition;
  @Field(shownCondition) update?: Condition;
  @Field(shownCondition) delete?: Condition;
}

export class FieldRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', enum: fieldTypes }) type!: FieldType;
  @Field({ type: 'boolean' }) required!: boolean;
  @Field({ type: 'boolean' }) unique!: boolean;
  @Field({ type: 'boolean' }) indexed!: boolean;
  @Field(optionsField) options?: readonly string[];
  @Field({ type: 'string', optional: true, description: 'Only for `relation`: the id of the related table.' })
  targetTableId?: string;
  @Field({ type: 'object', shape: () => ShownFieldRules }) accessRules!: ShownFieldRules;
}

export class TableRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) baseId!: string;
  @Field({ type: 'string', description: 'Unique in the base. Case-sensitive.' }) name!: string;
  @Field({ type: 'string', nullable: true }) description!: string | null;
  @Field({ type: 'array', items: () => FieldRecord }) fields!: readonly FieldRecord[];
  @Field({ type: 'object', shape: () => ShownTableRules }) accessRules!: ShownTableRules;
  @Field({ type: 'integer', minimum: 0 }) rowCount!: number;
  @Field({ type: 'string' }) createdAt!: string;
  @Field({ type: 'string' }) updatedAt!: string;
}
