import { findOperation, type RegisteredOperation } from '../../../engine/operation/operation.js';
import { recordKind } from '../../../kernel/record/record.js';
import { refuse } from '../audit.refusals.js';

/** Why no change of this kind can be undone, and what to do; undefined where some can. */
export function whyNeverUndone(kind: string): string | undefined {
  const { undoing = 'It belongs to no resource.' } = recordKind(kind) ?? {};
  return typeof undoing === 'string' ? undoing : undefined;
}

/** Whether what this operation does to undo a change can be undone in turn. */
export function canBeUndoneAgain(kind: string, operation: string): boolean {
  const { undoing = '' } = recordKind(kind) ?? {};
  if (typeof undoing === 'string') return false;
  const { ends, returns, restores } = undoing;
  if (operation === ends) return returns !== undefined || restores !== undefined;
  return operation !== 'audit/undoChange' || ends !== undefined;
}

/**
 * The operation to which whoever undoes the last change of a record needs the right, as its kind declares it; undefined: that
 * shows only when it is undone. `isGone`: the change ended the record. @throws Refusal undo-impossible
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
