import { query } from '../../../engine/operation/bound-operation.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { AccessSummaries, type AccessSummary } from '../../access/judging/access-summaries.api.js';
import { audiences } from '../../access/judging/visitor.api.js';
import { type AiPermissions, projects } from './project.record.js';

const count = { type: 'integer' } as const;

class RuledResource {
  @Field({
    type: 'string',
    description: 'Kind of the resource, such as page, function, table, field, email, channel or proxy.',
  })
  kind!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', description: 'Operation that the rules control, such as read, execute, send or subscribe.' })
  operation!: string;
  @Field({
    type: 'string',
    enum: audiences,
    description: 'Who has access. some: those who match the rules; owner: only members with edit rights.',
  })
  letsIn!: AccessSummary['letsIn'];
  @Field({ type: 'boolean', description: 'Whether rules are stored for the resource.' }) hasRules!: boolean;
  @Field({ type: 'string', description: 'A short description of the condition.' }) words!: string;
  @Field({ type: 'string', nullable: true, description: 'Why the stored rules admit no one. null if they are valid.' })
  problem!: string | null;
}

class AccessOverview {
  @Field({ type: 'string' }) projectId!: string;
  @Field({
    type: 'boolean',
    description: 'Whether the project is a workspace app, which only members with edit rights can open.',
  })
  isApp!: boolean;
  @Field({ type: 'object', description: 'If empty, agents may use everything.' }) aiPermissions!: AiPermissions;
  @Field(count) pageCount!: number;
  @Field({ ...count, description: 'Number of pages for signed-in visitors.' }) protectedPageCount!: number;
  @Field(count) envVarCount!: number;
  @Field({ ...count, description: 'Number of environment variables that are secrets.' }) secretCount!: number;
  @Field({
    type: 'boolean',
    description: 'Whether visitors can sign in. If false, the rules of pages are not checked.',
  })
  authEnabled!: boolean;
  @Field(count) policyCount!: number;
  @Field({
    type: 'array',
    items: () => RuledResource,
    description: 'All resources that have rules or could have them.',
  })
  resources!: readonly RuledResource[];
}

export const accessOverviewOperations = [
  query('site/getAccessOverview', {
    summary: 'Returns everything that controls access to a project.',
    source: 'Sites API, Projects and settings',
    group: 'projects',
    permission: 'site.read',
    within: 'project',
    tools: 'granted',
    answers: { record: AccessOverview },
    input: { projectId: idField },
    inject: [Reads, AccessSummaries],
    handle: async ({ projectId }, call, reads, summaries): Promise<AccessOverview> => {
      const { workspaceId } = call;
      const { isApp, aiPermissions, authEnabled } = await reads.one(call, projects, projectId);
      const counted = (collection: string, where = {}) => reads.count(workspaceId, collection, { projectId, ...where });
      const [pageCount, protectedPageCount, envVarCount, secretCount, policyCount, resources] = await Promise.all([
        counted('pages'),
        counted('pages', { isProtected: true }),
        counted('siteEnvVars'),
        counted('siteEnvVars', { isSecret: true }),
        counted('accessPolicies'),
        summaries.of(workspaceId, projectId),
      ]);
      const counts = { pageCount, protectedPageCount, envVarCount, secretCount, policyCount };
      return { projectId, isApp, aiPermissions, authEnabled, ...counts, resources };
    },
  }),
];
