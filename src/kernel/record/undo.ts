/** Describes how a change can be undone, which is possible for 24 hours (settled question Q-G11). */
export interface Undo {
  readonly id: string;
  readonly summary: string;
  readonly targetName: string;
  readonly expiresAt: string;
}

/** `now` is in milliseconds since 1970. */
export interface Taking {
  readonly undoId: string;
  readonly now: number;
}

const undoForMs = 24 * 3_600_000;

export function undoOf({ name }: { readonly name: string }, summary: string, { undoId, now }: Taking): Undo {
  return { id: undoId, summary, targetName: name, expiresAt: new Date(now + undoForMs).toISOString() };
}
