import { isTakingTool } from '../../../../engine/authorisation/service-tool.js';
import { takesAwayWhen } from '../../../../engine/operation/operation.js';
import { sameText } from '../../../../kernel/text/text.js';
import type { FunctionDefinition, FunctionDocument, FunctionEvent } from '../function.record.js';

export type LiveCode = Pick<FunctionDefinition, 'code' | 'grants'>;

/**
 * If a function may call service tools that delete, a change of its live code is treated like a deletion, and so is
 * giving it another such tool. The code would delete with the rights of people who did not write it.
 */
export function bringsTakingCode(after: LiveCode, before: LiveCode): boolean {
  const taking = after.grants.serviceTools.filter(isTakingTool);
  if (taking.length === 0) return false;
  return !sameText(after.code, before.code) || taking.some((tool) => !before.grants.serviceTools.includes(tool));
}

export const takesAwayByCode = takesAwayWhen<FunctionDocument, FunctionEvent>((event, before) => {
  const after = liveCodeAfter(event, before);
  return after !== undefined && bringsTakingCode(after, before);
});

function liveCodeAfter(event: FunctionEvent, before: FunctionDocument): LiveCode | undefined {
  switch (event.type) {
    case 'FunctionDefinitionChanged':
    case 'FunctionRolledBack':
      return { ...before, ...event.data };
    case 'FunctionPublished':
      return before.draft ?? undefined;
    case 'FunctionUndone':
      return { ...before, ...before.undo?.before };
    default:
      return undefined;
  }
}
