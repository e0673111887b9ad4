import { alongside } from '../../../engine/commands/related-changes.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import { bases } from '../../bases/base/base.record.js';
import { NewProjects } from './new-projects.js';
import { deleteProject, firstColor } from './project.js';
import { type Project, projects, projectTypes } from './project.record.js';
import { ProjectDeleteInfo, ProjectRow } from './project-shapes.api.js';
import { giveSlotBack } from './project-slots.js';
import { projectSlots } from './project-slots.record.js';
import { ProjectView } from './project-view.api.js';
import { brandKitField, bundleIdentifierField, colorField, descriptionField } from './settings/settings-fields.api.js';

const declared = { source: 'Sites API, Projects and settings', group: 'projects' } as const;
const asks = { ...declared, permission: 'site.read', tools: 'granted' } as const;

export const projectOperations = [
  query('site/listProjects', {
    ...asks,
    summary: 'Lists the sites of the workspace, its workspace apps, or both, oldest first.',
    answers: { list: ProjectRow },
    input: { kind: { type: 'string', enum: ['site', 'app', 'all'], optional: true, default: 'site' } },
    inject: [Reads, ProjectView, Scopes],
    handle: async ({ kind = 'site' }, call, reads, view, scopes) => {
      const found = await reads.find<Project>(call.workspaceId, 'projects', {
        ...(kind === 'all' ? {} : { where: { isApp: kind === 'app' } }),
        sort: [['createdAt', 'asc']],
      });
      return view.rows(call.workspaceId, await scopes.allowed(call, found, projects));
    },
  }),
  command('site/createProject', {
    ...declared,
    summary: 'Creates a site or a workspace app, with its base, a home page and an address derived from the name.',
    permission: 'site.edit',
    tools: 'granted',
    answers: { record: ProjectRow },
    input: {
      name: nameField,
      description: { ...descriptionField, optional: true },
      color: { ...colorField, optional: true, default: firstColor },
      brandKit: { ...brandKitField, optional: true, description: 'The initial design system.' },
      projectType: { type: 'string', enum: projectTypes, optional: true, default: 'web' },
      bundleIdentifier: { ...bundleIdentifierField, optional: true },
      appDisplayName: { ...nameField, optional: true },
      isApp: { type: 'boolean', optional: true, default: false, description: 'true to create a workspace app.' },
    },
    inject: [NewProjects, ProjectView],
    handle: async (input, call, created, view) => view.row(await created.create(call, input)),
  }),
  query('site/getProjectDeleteInfo', {
    ...asks,
    summary: 'Returns what would be deleted together with the project.',
    answers: { record: ProjectDeleteInfo },
    input: { id: idField },
    inject: [ProjectView],
    handle: ({ id }, call, view) => view.deleteInfo(call, id),
  }),
  recordCommand('site/deleteProject', {
    ...declared,
    summary: 'Deletes a project with its linked base and everything that belongs to it.',
    permission: 'workspace.manage',
    callers: ['person'],
    tools: 'never',
    takesAway: true,
    outside: ['destroys rows for good'],
    answers: success,
    input: { id: idField },
    record: projects,
    id: ({ id }) => id,
    decide: deleteProject,
    alongside: (project, { id }, { workspaceId }) => [
      alongside({ aggregate: projectSlots, id: workspaceId, decide: (slots) => giveSlotBack(slots, id) }),
      alongside({
        aggregate: bases,
        id: (project ?? projects.missing()).linkedBaseId,
        decide: (base) => (base ? [{ type: 'BaseDeleted' as const, data: {} }] : []),
      }),
    ],
  }),
];
