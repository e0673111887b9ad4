import { query } from '../../../engine/operation/bound-operation.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { AccessSummaries, type AccessSummary } from '../../access/judging/access-summaries.api.js';
import { audiences } from '../../access/judging/visitor.api.js';
import { type AiPermissions, projects } from './project.record.js';

const count = { type: 'integer' } as const;

class RuledResource {
  @Field({ type: 'string', description: 'page, function, table, field, email, channel, proxy …' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', description: 'read, execute, send, subscribe …' }) operation!: string;
  @Field({
    type: 'string',
    enum: audiences,
    description: 'some: those whom the rules admit; owner: only members with edit rights.',
  })
  letsIn!: AccessSummary['letsIn'];
  @Field({ type: 'boolean', description: 'Whether rules are saved.' }) hasRules!: boolean;
  @Field({ type: 'string', description: 'The condition in words, in short.' }) words!: string;
  @Field({ type: 'string', nullable: true, description: 'Why the saved rules admit no one.' }) problem!: string | null;
}

class AccessOverview {
  @Field({ type: 'string' }) projectId!: string;
  @Field({ type: 'boolean', description: 'Only members with edit rights open a workspace app.' }) isApp!: boolean;
  @Field({ type: 'object', description: 'Empty: agents may use everything.' }) aiPermissions!: AiPermissions;
  @Field(count) pageCount!: number;
  @Field({ ...count, description: 'Pages for signed-in visitors.' }) protectedPageCount!: number;
  @Field(count) envVarCount!: number;
  @Field({ ...count, description: 'Environment variables whose values are never shown.' }) secretCount!: number;
  @Field({ type: 'boolean', description: 'While it is off, rules of pages are not checked.' }) authEnabled!: boolean;
  @Field(count) policyCount!: number;
  @Field({ type: 'array', items: () => RuledResource, description: 'Everything that has rules, or could have.' })
  resources!: readonly RuledResource[];
}

export const accessOverviewOperations = [
  query('site/getAccessOverview', {
    summary: 'Returns everything that decides on access to a project.',
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
