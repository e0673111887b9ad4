import type { Actor } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

/** `change`: somebody did it at once. `failure`: something does not work as it should, or no longer. */
export const noticeKinds = ['change', 'failure'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** A change that somebody made at once, which can be undone for a while, or a failure. Members read it. */
export interface Notice extends Document {
  readonly kind: NoticeKind;
  readonly summary: string;
  readonly target: { readonly kind: string; readonly id: string; readonly name: string };
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly undoneAt: string | null;
  /** Of what a caller took away. Left out: the record keeps its own Undo, or something failed. */
  readonly taking?: Taking;
}

export interface Taking {
  /** Of the target's last event, in the log. */
  readonly position: number;
  readonly stream: string;
  readonly operation: string;
  readonly by: Actor;
  readonly approvedBy?: Actor;
  /** How many records the notice is about. */
  readonly count: number;
  /** Of several records: the positions of the first and the last event. Left out: an older version made the notice. */
  readonly among?: readonly [from: number, to: number];
}
