import { success } from '../../../../engine/operation/operation.js';
import { recordCommand } from '../../../../engine/records/record-command.js';
import { typed } from '../../../../kernel/field/field.js';
import { idField } from '../../../../kernel/field/plain-text.js';
import { type AiPermissions, projects } from '../project.record.js';
import { updateAiPermissions } from './ai-permissions.js';

export const aiPermissionsOperations = [
  recordCommand('site/updateAiPermissions', {
    summary: 'Narrows what AI agents may use of a project; more than now is refused whole.',
    source: 'Sites API, AI permissions',
    group: 'ai-permissions',
    permission: 'site.edit',
    // Only a person may change these permissions, directly or through a connection of theirs (Q-S71).
    callers: ['person', 'connection'],
    within: 'project',
    tools: 'never',
    answers: success,
    input: {
      projectId: idField,
      aiPermissions: typed<AiPermissions>()({
        type: 'object',
        maxBytes: 32 * 1024,
        description:
          "The whole new set. Keys are '<area>:*' and '<area>:<tool>'; only those that are true count. An empty set, which every project begins with, allows everything.",
      }),
    },
    record: projects,
    id: ({ projectId }) => projectId,
    decide: (project, { aiPermissions }) => updateAiPermissions(project, aiPermissions),
  }),
];
