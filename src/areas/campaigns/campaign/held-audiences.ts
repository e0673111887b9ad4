import type { HeldCondition, ListHeld } from '../../access/judging/condition-holders.api.js';
import { type Campaign, campaigns } from './campaign.record.js';

/** Audiences of campaigns that are still to be sent: what was sent is judged no more. */
export const heldAudiences: ListHeld = async (reads, workspaceId, projectId): Promise<readonly HeldCondition[]> => {
  const found = await reads.find<Campaign>(workspaceId, campaigns.collection.name, {
    where: { projectId, status: { in: ['draft', 'sending'] } },
  });
  return found.map(({ id, name, audienceRules }) => ({
    place: 'audience',
    kind: 'campaign',
    id,
    name,
    operation: 'send',
    condition: audienceRules,
    unruled: { type: 'authenticated' },
  }));
};
