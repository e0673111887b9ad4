import { Operation, success } from '../../../engine/operation/operation.js';
import { decides } from '../../../engine/records/rule.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { updateAiPermissions } from './ai-permissions.js';
import { type AiPermissions, type Project, type ProjectEvent, projects } from './project.record.js';

@Operation('site/updateAiPermissions', {
  summary: 'Narrows what AI agents may use of a project; more than now is refused whole.',
  source: 'Sites API, AI permissions',
  group: 'ai-permissions',
  effect: 'command',
  permission: 'site.edit',
  // Settled question Q-S71: only when a person asks.
  callers: ['person', 'connection'],
  within: 'project',
  tools: 'never',
  answers: success,
})
export class UpdateAiPermissions {
  @Field(idField) projectId!: string;
  @Field({
    type: 'object',
    maxBytes: 32 * 1024,
    description:
      "The whole new set. Keys are '<area>:*' and '<area>:<tool>'; only those that are true count. An empty set, which every project begins with, allows everything.",
  })
  aiPermissions!: AiPermissions;
}

export const aiPermissionsHandlers = [
  decides<UpdateAiPermissions, Project | undefined, ProjectEvent>(UpdateAiPermissions, {
    aggregate: projects,
    id: ({ projectId }) => projectId,
    decide: (project, { aiPermissions }) => updateAiPermissions(project ?? projects.missing(), aiPermissions),
  }),
];
