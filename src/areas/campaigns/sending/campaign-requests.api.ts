import { dueJob } from '../../../engine/jobs/due-job.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Message } from '../../../ports/messages.port.js';
import { type Campaign, type CampaignEvent, campaigns } from '../campaign/campaign.record.js';

export interface CampaignMessage extends JsonObject {
  readonly workspaceId: string;
  readonly campaignId: string;
}

type Beginning = Extract<CampaignEvent, { type: 'CampaignSendingBegun' | 'CampaignResumed' }>;

/** Messages contain only ids, because the campaign's state determines what to do next. */
export const campaignJob = dueJob<Beginning>()<Campaign, CampaignMessage, 'dueAt'>({
  topic: 'campaigns',
  isShared: true,
  // Number of campaigns per process. Each sends several mails at once.
  concurrency: 16,
  accepted: {
    saga: 'campaigns-are-handed-to-senders',
    category: campaigns.category,
    reads: ['CampaignSendingBegun', 'CampaignResumed'],
    message: ({ workspaceId, streamId }) => campaignMessage(workspaceId, streamId),
  },
  collection: campaigns.collection.name,
  due: 'dueAt',
  everyMs: 2_000,
  message: ({ workspaceId, id }) => campaignMessage(workspaceId, id),
});

/** The message key prevents a process from working on the same campaign twice at the same time. */
function campaignMessage(workspaceId: string, campaignId: string): Message {
  const value: CampaignMessage = { workspaceId, campaignId };
  return { id: campaignId, key: `${workspaceId}/${campaignId}`, value };
}
