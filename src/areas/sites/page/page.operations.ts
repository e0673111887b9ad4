import { query } from '../../../engine/operation/bound-operation.js';
import { opensAccess, success } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { resource } from '../../../engine/records/resource.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { refuse } from '../sites.refusals.js';
import { sourceOperations } from '../source-text/source-operations.api.js';
import { messageField } from '../source-text/source-shapes.api.js';
import { contentHashOf, createPage, deletePage, editPage, setPageActive, updatePage } from './page.js';
import { type Page, pages } from './page.record.js';
import { PageRoles } from './page-roles.api.js';
import { pageSlots } from './page-slots.js';

const declared = { source: 'Sites API, Pages and components', group: 'pages', tools: 'granted' } as const;
const changes = { ...declared, permission: 'site.edit' } as const;
const hashOf = ({ content }: Page) => ({ contentHash: contentHashOf(content) });

const page = resource(pages, {
  ...declared,
  reads: 'site.read',
  edits: 'site.edit',
  id: 'page',
  answer: {
    called: 'PageRow',
    also: {
      contentHash: {
        type: 'string',
        description: 'SHA-256 of the content in hexadecimal, for use as baseContentHash.',
      },
      createdAt: { type: 'string' },
      updatedAt: { type: 'string' },
    },
    dates: [],
    order: [
      ...['name', 'path', 'title', 'description', 'layout', 'isHomePage', 'sortOrder', 'isDraft', 'isProtected'],
      ...['requiredRole', 'redirectIfUnauth', 'active', 'contentHash', 'createdAt', 'updatedAt'],
    ],
  },
  beside: hashOf,
  slots: pageSlots,
});
const source = sourceOperations(pages, { ...declared, one: 'a page', edited: editPage });

/**
 * Returns `null` if the text means any signed-in user. A text that is already stored is accepted although it names no
 * role, because pages stored such texts before roles existed.
 * @throws Refusal roles-unknown
 */
async function roleOf(
  call: OperationContext,
  pageId: string,
  sent: string,
  reads: Reads,
  roles: PageRoles,
): Promise<string | null> {
  const { projectId, requiredRole } = await reads.one(call, pages, pageId);
  const meant = await roles.meant(call, projectId, sent);
  if (meant !== undefined) return meant;
  return sent === requiredRole
    ? sent
    : refuse('roles-unknown', { roleIds: [sent.slice(0, 100)] }, { at: 'requiredRole' });
}

export const pageOperations = [
  query('site/listPages', {
    ...declared,
    summary: 'Lists the pages of a project in their order, without their content.',
    permission: 'site.read',
    within: 'project',
    answers: { list: page.shape },
    input: { projectId: idField },
    inject: [Reads],
    handle: async ({ projectId }, { workspaceId }, reads) => {
      const where = { projectId };
      const found = await reads.find<Page>(workspaceId, 'pages', { where, sort: [['sortOrder', 'asc']] });
      return found.map((one) => ({ ...one, ...hashOf(one) }));
    },
  }),
  source.get('site/getPage', page.shapeWith('PageRecord', { content: { type: 'string' } }), hashOf),
  page.create('site/createPage', {
    summary: 'Creates an active page. Another page with the same path becomes inactive.',
    body: 'large',
    input: { commitMessage: messageField },
    order: [
      ...['projectId', 'name', 'path', 'title', 'description', 'isHomePage', 'isProtected', 'content'],
      'commitMessage',
    ],
    inject: [Reads],
    prepare: async ({ projectId }, { workspaceId }, reads) => {
      const where = { projectId };
      const [last] = await reads.find<Page>(workspaceId, 'pages', { where, sort: [['sortOrder', 'desc']], limit: 1 });
      return last === undefined ? 0 : Math.floor(last.sortOrder) + 1;
    },
    decide: (sent, _, __, sortOrder) => createPage(sent, sortOrder),
  }),
  page.update('site/updatePage', {
    summary: 'Updates a page.',
    body: 'large',
    risky: opensAccess,
    input: {
      commitMessage: messageField,
      baseContentHash: {
        type: 'string',
        pattern: /^[0-9a-f]{64}$/,
        optional: true,
        description:
          'The contentHash returned by getPage. The update is refused if the content has changed since then.',
      },
    },
    order: [
      ...['id', 'name', 'path', 'content', 'layout', 'title', 'description', 'requiredRole', 'redirectIfUnauth'],
      ...['commitMessage', 'baseContentHash', 'isHomePage', 'isDraft', 'isProtected', 'sortOrder'],
    ],
    inject: [Reads, PageRoles],
    prepare: async ({ id, requiredRole }, call, reads, roles) =>
      typeof requiredRole === 'string' ? { requiredRole: await roleOf(call, id, requiredRole, reads, roles) } : {},
    decide: (before, sent, _, role) => updatePage(before, { ...sent, ...role }),
  }),
  recordCommand('site/setPageActive', {
    ...changes,
    summary: 'Activates or deactivates a page. Activating it deactivates any other page with the same path.',
    within: 'project',
    answers: { record: page.shape },
    input: { projectId: idField, pageId: idField, active: { type: 'boolean' } },
    record: pages,
    id: ({ pageId }) => pageId,
    decide: (before, { projectId, active }) =>
      before.projectId === projectId ? setPageActive(before, active) : pages.missing(),
    slots: pageSlots,
    answer: (after = pages.missing()) => ({ ...after, ...hashOf(after) }),
  }),
  recordCommand('site/deletePage', {
    ...changes,
    summary: 'Deletes a page. It can be restored by an undo or from a snapshot.',
    takesAway: true,
    answers: success,
    input: { id: idField, commitMessage: messageField },
    record: pages,
    id: ({ id }) => id,
    decide: (before, { commitMessage }) => deletePage(before, commitMessage),
  }),
  source.read('site/readPage'),
  source.edit('site/editPage'),
  source.search('site/searchPage'),
];
