import { query } from '../../../engine/operation/bound-operation.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { shapeOf } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { type Plan, type Workspace, workspaces } from '../../workspace/workspace/workspace.record.js';
import { type SiteMailUse, siteMailUseId } from './site-mail.record.js';

/** Number of mails that a site may send per month (Sites supplement, Mail of a site). */
const monthly: Readonly<Record<Plan, number>> = { free: 100, starter: 5_000, pro: 50_000 };

const EmailUsage = shapeOf('EmailUsage', {
  used: { type: 'integer', description: 'Number of sign-in mails and receipts that the site sent this month.' },
  limit: { type: 'integer', description: 'Number of such mails that the plan includes per month.' },
  month: { type: 'string', description: 'YYYY-MM, in UTC.' },
});

export const emailUsageOperations = [
  query('site/getEmailUsage', {
    summary: 'Returns how many sign-in mails and receipts a site sent this month, and how many its plan includes.',
    source: 'Sites API, Email templates and usage',
    group: 'email-usage',
    permission: 'site.read',
    tools: 'granted',
    within: 'project',
    answers: { record: EmailUsage },
    input: { projectId: idField },
    inject: [Reads],
    handle: async ({ projectId }, { workspaceId, at }, reads) => {
      const month = at.slice(0, 7);
      const [workspace, use] = await Promise.all([
        reads.get<Workspace>(workspaceId, 'workspaces', workspaceId),
        reads.get<SiteMailUse>(workspaceId, 'siteMailUses', siteMailUseId(projectId, month)),
      ]);
      return { used: use?.sent ?? 0, limit: monthly[(workspace ?? workspaces.missing()).plan], month };
    },
  }),
];
