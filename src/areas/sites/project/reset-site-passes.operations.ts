import { success } from '../../../engine/operation/operation.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { resetSitePasses } from './project.js';
import { projects } from './project.record.js';

export const resetSitePassesOperations = [
  recordCommand('site/resetSitePasses', {
    summary: 'Signs out all users of the site, who must then sign in again.',
    source: 'Sites API, App users and roles',
    group: 'app-users',
    permission: 'site.users',
    tools: 'agents',
    shutsOut: true,
    answers: success,
    input: { id: { ...idField, description: 'The id of the site.' } },
    record: projects,
    id: ({ id }) => id,
    decide: resetSitePasses,
  }),
];
