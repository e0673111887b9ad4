import type { ListConditions, StoredCondition } from '../../access/judging/condition-holders.api.js';
import { type Page, ruleOfFlags } from './page.record.js';

/**
 * Returns the read conditions of all pages. If a page has no saved rules, its condition is derived from its flags
 * (`isProtected` and `requiredRole`).
 */
export const pageConditions: ListConditions = async (reads, workspaceId, projectId) => {
  const found = await reads.find<Page>(workspaceId, 'pages', { where: { projectId }, sort: [['sortOrder', 'asc']] });
  return found.map(
    ({ id, name, accessRules, ...flags }): StoredCondition => ({
      place: 'page',
      kind: 'page',
      id,
      name,
      operation: 'read',
      condition: accessRules ? (accessRules.read ?? []) : null,
      unruled: ruleOfFlags(flags),
    }),
  );
};
