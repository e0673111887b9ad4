import type { ListConditions, StoredCondition } from '../../access/judging/condition-holders.api.js';
import { type Campaign, campaigns } from './campaign.record.js';

/** Omits sent campaigns, because their conditions are never evaluated again. */
export const audienceConditions: ListConditions = async (
  reads,
  workspaceId,
  projectId,
): Promise<readonly StoredCondition[]> => {
  const found = await reads.find<Campaign>(workspaceId, campaigns.collection.name, {
    where: { projectId, status: { in: ['draft', 'sending'] } },
  });
  return found.map(({ id, name, audienceRules, status, scheduledAt, audience }) => ({
    place: 'audience',
    kind: 'campaign',
    id,
    name,
    operation: 'send',
    condition: audienceRules,
    unruled: { type: 'authenticated' },
    sends: scheduledAt !== null || (status === 'sending' && audience === null),
  }));
};
