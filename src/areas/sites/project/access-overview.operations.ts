import { Field } from '../../../engine/operation/field.js';
import { Operation } from '../../../engine/operation/operation.js';
import { idField } from '../../../engine/operation/plain-text.js';
import { answers } from '../../../engine/rule.js';
import { type AiPermissions, projects } from './project.record.js';

const count = { type: 'integer' } as const;

export class AccessOverview {
  @Field({ type: 'string' }) projectId!: string;
  @Field({ type: 'boolean', description: 'Only members with edit rights open a workspace app.' }) isApp!: boolean;
  @Field({ type: 'object', description: 'Empty: agents may use everything.' }) aiPermissions!: AiPermissions;
  @Field(count) pageCount!: number;
  @Field({ ...count, description: 'Pages for signed-in visitors.' }) protectedPageCount!: number;
  @Field(count) envVarCount!: number;
  @Field({ ...count, description: 'Environment variables whose values are never shown.' }) secretCount!: number;
}

@Operation('site/getAccessOverview', {
  summary: 'Answers together what decides on access to a project.',
  source: 'Sites API, Projects and settings',
  group: 'projects',
  effect: 'query',
  permission: 'site.read',
  within: 'project',
  tools: 'granted',
  answers: { record: AccessOverview },
})
export class GetAccessOverview {
  @Field(idField) projectId!: string;
}

export const accessOverviewHandlers = [
  answers(GetAccessOverview, async (reads, { projectId }, call): Promise<AccessOverview> => {
    const { isApp, aiPermissions } = await reads.one(call, projects, projectId);
    const counted = (collection: string, where = {}) =>
      reads.count(call.workspaceId, collection, { projectId, ...where });
    const [pageCount, protectedPageCount, envVarCount, secretCount] = await Promise.all([
      counted('pages'),
      counted('pages', { isProtected: true }),
      counted('siteEnvVars'),
      counted('siteEnvVars', { isSecret: true }),
    ]);
    return { projectId, isApp, aiPermissions, pageCount, protectedPageCount, envVarCount, secretCount };
  }),
];
