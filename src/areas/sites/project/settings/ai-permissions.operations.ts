import { success } from '../../../../engine/operation/operation.js';
import { recordCommand } from '../../../../engine/records/record-command.js';
import { typed } from '../../../../kernel/field/field.js';
import { idField } from '../../../../kernel/field/plain-text.js';
import { type AiPermissions, projects } from '../project.record.js';
import { updateAiPermissions } from './ai-permissions.js';

export const aiPermissionsOperations = [
  recordCommand('site/updateAiPermissions', {
    summary:
      'Restricts what AI agents may use of a project. A set that allows more than the current one is refused entirely.',
    source: 'Sites API, AI permissions',
    group: 'ai-permissions',
    permission: 'site.edit',
    // Only a person may change these permissions, directly or through a connection (Q-S71).
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
          "Replaces the whole set. Keys are '<area>:*' and '<area>:<tool>'; only keys with the value true have an effect. An empty set, with which every project begins, allows everything.",
      }),
    },
    record: projects,
    id: ({ projectId }) => projectId,
    decide: (project, { aiPermissions }) => updateAiPermissions(project, aiPermissions),
  }),
];
