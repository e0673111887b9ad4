import type { ValuesOf } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { largestDefinition } from '../data-function/data-definition.api.js';
import { functionFields } from '../function/shown/function-fields.api.js';
import { SiteAccessRulesShape } from '../function/shown/site-function-shapes.api.js';

const { name, text, seenVersion } = functionFields;
const rules = { type: 'object', shape: () => SiteAccessRulesShape, optional: true } as const;
const runAs = {
  type: 'string',
  enum: ['member', 'service'],
  optional: true,
  description:
    "`member`: with the caller's own access to rows. `service`: with Full data access, which needs a person's approval.",
} as const;
const definition = {
  type: 'object',
  maxBytes: largestDefinition,
  description:
    "One operation on one table: { kind: get | list | count | create | update | delete, table, filter?, sort?, limit?, fields?, values?, params? }. { $param: name } is replaced by the caller's parameter of this name; params contains a JSON Schema for each parameter.",
} as const;

export const newDataFunction = {
  projectId: idField,
  name,
  definition,
  description: text,
  runAs: { ...runAs, default: 'member' },
  accessRules: rules,
} as const;
export type NewDataFunction = ValuesOf<typeof newDataFunction>;

export const changedDataFunction = {
  projectId: idField,
  functionId: idField,
  description: text,
  definition: { ...definition, optional: true },
  runAs,
  accessRules: rules,
  seenVersion: {
    ...seenVersion,
    optional: true,
    description: 'The `version` that the caller last saw. Required with runAs `service`.',
  },
} as const;
export type DataFunctionChanges = ValuesOf<typeof changedDataFunction>;
