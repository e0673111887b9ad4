import { recordKind } from '../../../kernel/record.js';

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
