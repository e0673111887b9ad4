import type { ListConditions, StoredCondition } from '../../access/judging/condition-holders.api.js';
import { guardedAmong } from '../function/cards/approved.api.js';
import type { FunctionDocument } from '../function/function.record.js';

/** Includes the execute rule of an open draft if it differs from the live rule. */
export const functionConditions: ListConditions = async (reads, workspaceId, projectId) => {
  const found = await reads.find<FunctionDocument>(workspaceId, 'siteFunctions', { where: { projectId } });
  return found.flatMap((fn): readonly StoredCondition[] => {
    const { id, name, accessRules, draft } = fn;
    const [guarded] = guardedAmong([fn]);
    const common = { place: 'function', id, name, operation: 'execute' } as const;
    const live = { ...common, kind: 'function', condition: accessRules.execute, ...(guarded && { guarded }) };
    const drafted = draft?.accessRules.execute;
    if (drafted === undefined || JSON.stringify(drafted) === JSON.stringify(accessRules.execute)) return [live];
    return [live, { ...common, kind: 'function draft', condition: drafted }];
  });
};
