import { query } from '../../../engine/operation/bound-operation.js';
import { opensAccess } from '../../../engine/operation/operation.js';
import { anyObject } from '../../../engine/operation/schema.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { ConditionChecks } from '../../access/judging/condition-checks.api.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import { projects } from '../project/project.record.js';
import { setPageRules } from './page.js';
import { type PageRules, pages } from './page.record.js';
import { flagsOfRule } from './page-rules.api.js';
import { pageSlots } from './page-slots.js';

const declared = { source: 'Sites API, Access rules', group: 'access-rules', tools: 'granted' } as const;
const signInNote =
  'The sign-in of the site is off, so these rules are stored but not yet checked, and every visitor can read the page. Switch authEnabled on with updateProjectAuth.';

class PageRulesShape {
  @Field({
    type: 'any',
    optional: true,
    schema: { oneOf: [anyObject, { type: 'array', items: anyObject }] },
    must: 'a condition: an object or an array of rules',
    description:
      'A condition without rules that call functions or concern rows. If empty or omitted, only the owner can read the page.',
  })
  read?: Condition;
}

export const pageRulesOperations = [
  query('site/getPageAccessRules', {
    ...declared,
    summary: 'Returns who may read a page.',
    permission: 'site.read',
    answers: {
      fields: {
        accessRules: {
          type: 'object',
          shape: () => PageRulesShape,
          nullable: true,
          description: 'null if no rules are stored, in which case isProtected and requiredRole decide.',
        },
      },
    },
    input: { pageId: idField },
    inject: [Reads],
    handle: async ({ pageId }, call, reads) => ({
      accessRules: (await reads.one(call, pages, pageId)).accessRules ?? null,
    }),
  }),
  recordCommand('site/setPageAccessRules', {
    ...declared,
    summary: 'Sets who may read a page, and updates its isProtected and requiredRole to match.',
    permission: 'site.edit',
    answers: {
      fields: {
        success: { type: 'boolean' },
        signInNote: {
          type: 'string',
          optional: true,
          description: "Present while the site's sign-in is off: the rules are stored but not yet checked.",
        },
      },
    },
    risky: opensAccess,
    input: { pageId: idField, accessRules: { type: 'object', shape: () => PageRulesShape } },
    record: pages,
    id: ({ pageId }) => pageId,
    inject: [Reads, ConditionChecks, SitePolicies],
    prepare: async ({ pageId, accessRules: { read } }, call, reads, checks, policies) => {
      const { workspaceId, projectId, name } = await reads.one(call, pages, pageId);
      const of = `the page '${name}'`;
      const about = { workspaceId, projectId, place: 'page', of, path: 'accessRules.read' } as const;
      const rules: PageRules = read === undefined ? {} : { read: await checks.checked(about, read) };
      const flags = flagsOfRule(rules.read, await policies.of(workspaceId, projectId));
      return { rules, flags, authEnabled: (await reads.one(call, projects, projectId)).authEnabled };
    },
    decide: (page, _, __, { rules, flags }) => setPageRules(page, rules, flags),
    slots: pageSlots,
    answer: (_, { authEnabled }) => ({ success: true, ...(authEnabled ? {} : { signInNote }) }),
  }),
];
