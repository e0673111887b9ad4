import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { type Project, projects } from '../../sites/project/project.record.js';
import { AudiencePreview } from '../audience/audience-preview.api.js';
import { AudiencePreviewShape } from '../audience/audience-shapes.api.js';
import { type Campaign, campaigns } from '../campaign/campaign.record.js';
import { type RecipientStatus, recipientStatuses } from './campaign-batch.record.js';
import { CampaignRecipient, RecipientList } from './recipient-list.js';
import { TestCampaign } from './test-campaign.js';

const shared = { group: 'campaigns', tools: 'granted', within: 'project' } as const;
const own = { ...shared, source: 'Supplementary, sites, Mail of a site' } as const;
const named = { projectId: idField, id: idField } as const;

async function foundIn(
  reads: Reads,
  call: OperationContext,
  { projectId, id }: { readonly projectId: string; readonly id: string },
): Promise<{ readonly campaign: Campaign; readonly project: Project }> {
  const campaign = await reads.one(call, campaigns, id);
  if (campaign.projectId !== projectId) campaigns.missing();
  return { campaign, project: await reads.one(call, projects, projectId) };
}

export const sendingOperations = [
  query('site/previewCampaignAudience', {
    ...shared,
    source: 'Sites API, Campaigns and suppressions',
    permission: 'site.users',
    summary:
      'Counts the users who would receive a campaign if it were sent now, and returns a sample of them. Use it before sending.',
    answers: { record: AudiencePreviewShape },
    input: named,
    inject: [Reads, AudiencePreview],
    handle: async (sent, call, reads, preview) => {
      const { campaign, project } = await foundIn(reads, call, sent);
      return preview.of(campaign, project);
    },
  }),
  query('site/listCampaignRecipients', {
    ...own,
    permission: 'site.users',
    summary: 'Lists the recipients of a campaign with their outcomes, the most recently listed first.',
    answers: { list: CampaignRecipient },
    input: {
      ...named,
      status: { type: 'string', enum: recipientStatuses, optional: true },
      before: {
        type: 'string',
        maxLength: 40,
        optional: true,
        description: 'Id of the last entry of the previous page.',
      },
      limit: { type: 'integer', minimum: 1, maximum: 1_000, optional: true, default: 100 },
    },
    inject: [Reads, RecipientList],
    handle: async (sent, call, reads, recipients) => {
      const { campaign } = await foundIn(reads, call, sent);
      const { status, before, limit = 100 } = sent;
      return recipients.of(call.workspaceId, campaign.id, { status: status as RecipientStatus, before, limit });
    },
  }),
  command('site/testCampaign', {
    ...own,
    permission: 'site.edit',
    summary: 'Sends one mail of a campaign to a member of the workspace, marked as a test.',
    outside: ['sends mail'],
    answers: success,
    input: {
      ...named,
      to: { type: 'string', minLength: 1, maxLength: 320, description: 'Email address of a member.' },
    },
    inject: [Reads, TestCampaign],
    handle: async (sent, call, reads, test) => {
      const { campaign, project } = await foundIn(reads, call, sent);
      await test.send(call, campaign, project, sent.to);
      return { success: true };
    },
  }),
];
