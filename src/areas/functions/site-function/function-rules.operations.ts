import { command, query } from '../../../engine/operation/bound-operation.js';
import { opensAccess } from '../../../engine/operation/operation.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { FunctionRules } from '../function/rights/function-rules.api.js';
import { ChangedSiteFunction } from '../function/shown/site-function-shapes.api.js';
import { RulesToSet } from './site-function-inputs.js';
import { SiteFunctions } from './site-functions.js';

const source = 'Sites API, Access rules';
const group = 'access-rules';

export const functionRuleOperations = [
  query('site/getBackendFunctionAccessRules', {
    summary: 'Returns the access rules of a function of a site.',
    source,
    group,
    permission: 'site.read',
    tools: 'granted',
    answers: {
      fields: {
        accessRules: {
          type: 'object',
          shape: () => RulesToSet,
          nullable: true,
          description: 'null if no rules are saved. No user of the site may then execute the function.',
        },
      },
    },
    input: {
      functionId: idField,
    },
    inject: [FunctionRules],
    handle: async ({ functionId }, call, rules) => ({ accessRules: await rules.saved(call, functionId) }),
  }),
  command('site/setBackendFunctionAccessRules', {
    summary:
      "Sets who may start a function of a site. Applies to the live version and the open draft at once. If the function has Full data access, this needs a person's approval.",
    source,
    group,
    permission: 'site.edit',
    tools: 'granted',
    gated: true,
    answers: { record: ChangedSiteFunction },
    risky: opensAccess,
    input: {
      functionId: idField,
      accessRules: { type: 'object', shape: () => RulesToSet },
    },
    inject: [SiteFunctions],
    handle: (input, call, functions) => functions.setRules(call, input),
  }),
];
