import type { Recorded } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import {
  amend,
  type DocumentChange,
  type On,
  projection,
  put,
  remove,
  removeWhere,
  step,
} from '../../../kernel/record/projection.js';
import type { CampaignEvent } from '../campaign/campaign.record.js';
import type { SuppressionEvent } from '../suppression/suppression.record.js';
import { evolveBatch } from './campaign-batch.js';
import type { CampaignBatch, CampaignBatchEvent, CampaignStats, RecipientOutcome } from './campaign-batch.record.js';

const [batches, stats] = ['campaignBatches', 'campaignStats'];

const evolved = (event: Recorded<CampaignBatchEvent>): DocumentChange =>
  step<CampaignBatch>(batches, parseStream(event.stream).id, (before) => evolveBatch(before, event));

const counted = (campaignId: string, next: (before: CampaignStats) => Partial<CampaignStats>): DocumentChange =>
  amend<CampaignStats>(stats, campaignId, (before) => ({ ...before, ...next(before) }));

const countOf = (settled: readonly RecipientOutcome[], status: RecipientOutcome['status']) =>
  settled.filter((one) => one.status === status).length;

const on: On<Recorded<CampaignBatchEvent> | Recorded<CampaignEvent> | Recorded<SuppressionEvent>> = {
  CampaignSendingBegun: ({ stream }) => {
    const { workspaceId, id } = parseStream(stream);
    const none = { recipients: 0, sent: 0, failed: 0, suppressed: 0, waiting: 0, unsubscribed: 0 };
    return [put<CampaignStats>(stats, { id, workspaceId, ...none })];
  },
  CampaignBatchListed: (event) => {
    const { campaignId, userIds } = event.data;
    const more = userIds.length;
    const listed = counted(campaignId, ({ recipients, waiting }) => ({
      recipients: recipients + more,
      waiting: waiting + more,
    }));
    return [evolved(event), listed];
  },
  CampaignBatchClaimed: (event) => [evolved(event)],
  CampaignBatchMoved: (event) => {
    const { campaignId, settled } = event.data;
    const moved = counted(campaignId, (before) => ({
      sent: before.sent + countOf(settled, 'sent'),
      failed: before.failed + countOf(settled, 'failed'),
      suppressed: before.suppressed + countOf(settled, 'suppressed'),
      waiting: before.waiting - settled.length,
    }));
    return [evolved(event), moved];
  },
  CampaignBatchReleased: (event) => [evolved(event)],
  SuppressionAdded: ({ data: { reason, campaignId } }) =>
    reason !== 'unsubscribed' || campaignId === null
      ? []
      : [counted(campaignId, ({ unsubscribed }) => ({ unsubscribed: unsubscribed + 1 }))],
  CampaignDeleted: ({ stream }) => {
    const { workspaceId, id } = parseStream(stream);
    return [removeWhere(batches, { workspaceId, campaignId: id }), remove(stats, id)];
  },
};

/** One projection maintains the batches and the counts, so that they always agree. */
export const campaignBatchProjection = projection({
  name: batches,
  version: 1,
  collections: {
    [batches]: {
      indexes: [
        { fields: ['workspaceId', 'campaignId', 'number'] },
        { fields: ['workspaceId', 'campaignId', 'openAt'] },
      ],
    },
    [stats]: { indexes: [] },
  },
  on,
});
