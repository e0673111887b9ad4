import type { Caller } from '../../kernel/callers/caller.js';
import { allOperations, type RegisteredOperation } from '../operation/operation.js';
import { authorise } from './authorisation.js';

/** Returns `<area>_<operation>` (settled question Q-A09). */
export const toolNameOf = ({ name }: Pick<RegisteredOperation, 'name'>): string => name.replace('/', '_');

/** Returns undefined if the operation may not be a tool for functions or, if `by` is `agent`, for agents. */
export function serviceTool(tool: string, by: 'automation' | 'agent' = 'automation'): RegisteredOperation | undefined {
  const operation = allOperations().find((one) => toolNameOf(one) === tool);
  if (operation === undefined) return undefined;
  switch (operation.tools) {
    case 'never':
      return undefined;
    case 'agents':
      return by === 'agent' ? operation : undefined;
    case 'granted':
      return operation;
  }
}

export function isTakingTool(tool: string): boolean {
  return serviceTool(tool, 'agent')?.takesAway === true;
}

export function mayUse(operation: RegisteredOperation, caller: Caller): boolean {
  try {
    authorise(operation, caller);
    return true;
  } catch {
    return false;
  }
}
