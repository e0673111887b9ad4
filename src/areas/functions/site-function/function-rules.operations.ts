import { Operation } from '../../../engine/operation/operation.js';
import { opensAccess } from '../../../kernel/condition/opens-access.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { AccessRules } from '../function/function.record.js';
import { executeField } from '../function/shown/function-shapes.api.js';
import { ChangedSiteFunction, SiteRunByShape } from '../function/shown/site-function-shapes.api.js';

const source = 'Sites API, Access rules';
const group = 'access-rules';

const { optional: _, ...execute } = executeField;

class RulesToSet {
  @Field({ ...execute, description: 'A condition; empty or null: no user of the site.' })
  execute!: AccessRules['execute'];

  @Field({ type: 'object', shape: () => SiteRunByShape, optional: true, description: 'Left out: the saved one stays.' })
  runBy?: SiteRunByShape;
}

@Operation('site/getBackendFunctionAccessRules', {
  summary: 'Returns who may start a function of a site.',
  source,
  group,
  effect: 'query',
  permission: 'site.read',
  tools: 'granted',
  answers: {
    fields: {
      accessRules: {
        type: 'object',
        shape: () => RulesToSet,
        nullable: true,
        description: 'null: none are saved, so that no user of the site may execute it.',
      },
    },
  },
})
export class GetBackendFunctionAccessRules {
  @Field(idField) functionId!: string;
}

@Operation('site/setBackendFunctionAccessRules', {
  summary:
    'Sets who may start a function of a site, for the live version and the open draft at once. With Full data access, it waits for a person.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  tools: 'granted',
  gated: true,
  answers: { record: ChangedSiteFunction },
  risky: opensAccess,
})
export class SetBackendFunctionAccessRules {
  @Field(idField) functionId!: string;
  @Field({ type: 'object', shape: () => RulesToSet }) accessRules!: RulesToSet;
}
