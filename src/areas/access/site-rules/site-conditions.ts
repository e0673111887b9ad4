import type { ListConditions, StoredCondition } from '../judging/condition-holders.api.js';
import type { SiteRules } from './site-rules.record.js';

export const siteConditions: ListConditions = async (
  reads,
  workspaceId,
  projectId,
): Promise<readonly StoredCondition[]> => {
  const saved = await reads.get<SiteRules>(workspaceId, 'siteRules', projectId);
  const { email = null, proxy = null, channels = [] } = saved ?? {};
  return [
    {
      place: 'email',
      kind: 'email',
      id: projectId,
      name: 'email',
      operation: 'send',
      condition: email?.send ?? null,
    },
    {
      place: 'proxy',
      kind: 'proxy',
      id: projectId,
      name: 'server proxy',
      operation: 'execute',
      condition: proxy?.execute ?? null,
    },
    ...channels.flatMap(({ pattern, accessRules }) =>
      Object.entries({ subscribe: null, ...accessRules }).map(
        ([operation, condition]) =>
          ({ place: 'channel', kind: 'channel', id: pattern, name: pattern, operation, condition }) as const,
      ),
    ),
  ];
};
