import { findOperation, type RegisteredOperation } from '../../../engine/operation/operation.js';
import { recordKind } from '../../../kernel/record/record.js';
import { refuse } from '../audit.refusals.js';

/** Returns a sentence if no change of this kind can be undone. */
export function whyNeverUndone(kind: string): string | undefined {
  const { undoing = 'It does not belong to a resource.' } = recordKind(kind) ?? {};
  return typeof undoing === 'string' ? undoing : undefined;
}

export function canBeUndoneAgain(kind: string, operation: string): boolean {
  const { undoing = '' } = recordKind(kind) ?? {};
  if (typeof undoing === 'string') return false;
  const { ends, returns, restores } = undoing;
  if (operation === ends) return returns !== undefined || restores !== undefined;
  return operation !== 'audit/undoChange' || ends !== undefined;
}

/**
 * Returns undefined if the operation is known only during the undo.
 * @param isGone whether the change deleted the record
 * @throws Refusal undo-impossible
 */
export function neededToUndo(kind: string, isGone: boolean): RegisteredOperation | undefined {
  const never = whyNeverUndone(kind);
  const { undoing } = recordKind(kind) ?? {};
  if (never !== undefined || typeof undoing !== 'object') return refuse('undo-impossible', { why: never ?? '' });
  const { restores, returns, makes, gone = '' } = undoing;
  if (isGone && (returns === undefined || makes === undefined)) return refuse('undo-impossible', { why: gone });
  const needed = isGone ? makes : restores;
  return needed === undefined ? undefined : findOperation(needed);
}
