import { Operation, success } from '../../../engine/operation/operation.js';
import { decides } from '../../../engine/records/rule.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { type Project, type ProjectEvent, projects } from './project.record.js';

@Operation('site/resetSitePasses', {
  summary: 'Signs out everybody who visits the site; whoever comes again signs in anew.',
  source: 'Sites API, App users and roles',
  group: 'app-users',
  effect: 'command',
  permission: 'site.users',
  tools: 'agents',
  shutsOut: true,
  answers: success,
})
export class ResetSitePasses {
  @Field({ ...idField, description: 'The id of the site.' }) id!: string;
}

export const resetSitePassesHandlers = [
  decides<ResetSitePasses, Project | undefined, ProjectEvent>(ResetSitePasses, {
    aggregate: projects,
    id: ({ id }) => id,
    decide: () => [{ type: 'ProjectSitePassesReset', data: {} }],
  }),
];
