import type { ListConditions } from '../../access/judging/condition-holders.api.js';
import type { SiteEnvVar } from './site-env-var.record.js';

export const useConditions: ListConditions = async (reads, workspaceId, projectId) => {
  const found = await reads.find<SiteEnvVar>(workspaceId, 'siteEnvVars', { where: { projectId } });
  return found.flatMap(({ id, name, useRules }) =>
    useRules === null
      ? []
      : [{ place: 'env-var', kind: 'environment variable', id, name, operation: 'use', condition: useRules }],
  );
};
