import { type AskMode, type Permission, permissionsOfRole } from '../../kernel/callers/caller.js';
import type { OperationSpec } from '../operation/operation.js';
import type { OperationContext } from '../operation/operation-context.js';

const starts: readonly string[] = ['runs code', 'starts runs'];

export function mayNeedApproval(
  operation: OperationSpec,
  { caller, approvedBy, weighing }: Pick<OperationContext, 'caller' | 'approvedBy' | 'weighing'>,
): boolean {
  if (caller?.asks === undefined || approvedBy !== undefined || weighing !== undefined) return false;
  return sometimesNeedsApproval(operation, caller.asks);
}

/** Returns whether some or all calls of the operation need approval. */
export function sometimesNeedsApproval(operation: OperationSpec, asks: AskMode): boolean {
  const { effect, outside = [] } = operation;
  if (effect === 'query') return false;
  switch (asks) {
    case 'nothing':
      return false;
    case 'risky':
      return isSometimesRisky(operation);
    case 'changes':
      return isSometimesRisky(operation) || !outside.some((one) => starts.includes(one));
  }
}

export const isSometimesRisky = ({ takesAway, risky }: Pick<OperationSpec, 'takesAway' | 'risky'>): boolean =>
  takesAway !== undefined || risky !== undefined;

export const approverOf = (permission: Permission): 'editor' | 'admin' =>
  permissionsOfRole.editor.includes(permission) ? 'editor' : 'admin';
