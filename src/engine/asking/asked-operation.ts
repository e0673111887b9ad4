import { type Permission, permissionsOfRole } from '../../kernel/caller.js';
import type { Call } from '../operation/call.js';
import type { OperationSpec } from '../operation/operation.js';

/** Operations that start a run change nothing of the workspace themselves. */
const starts: readonly string[] = ['runs code', 'starts runs'];

/** Whether a call of the operation may have to be asked for. Most need no more than this. */
export function mayHaveToAsk(
  operation: OperationSpec,
  { caller, approvedBy, weighing }: Pick<Call, 'caller' | 'approvedBy' | 'weighing'>,
): boolean {
  const { effect, outside = [] } = operation;
  if (caller?.asks === undefined || effect === 'query' || approvedBy !== undefined || weighing !== undefined)
    return false;
  switch (caller.asks) {
    case 'nothing':
      return false;
    case 'risky':
      return isRiskyAtTimes(operation);
    case 'changes':
      return isRiskyAtTimes(operation) || !outside.some((one) => starts.includes(one));
  }
}

export const isRiskyAtTimes = ({ takesAway, risky }: Pick<OperationSpec, 'takesAway' | 'risky'>): boolean =>
  takesAway !== undefined || risky !== undefined;

/** The lowest role that may carry out what needs this right. */
export const approverOf = (permission: Permission): 'editor' | 'admin' =>
  permissionsOfRole.editor.includes(permission) ? 'editor' : 'admin';
