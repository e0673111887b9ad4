import type { Actor } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

/** `change`: made at once, without approval. `failure`: something has stopped working or works badly. */
export const noticeKinds = ['change', 'failure'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** A change made at once, which can be undone for a while, or a failure. Shown to members. */
export interface Notice extends Document {
  readonly kind: NoticeKind;
  readonly summary: string;
  readonly target: { readonly kind: string; readonly id: string; readonly name: string };
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly undoneAt: string | null;
  /** Set when a caller deleted something. Left out: the record has its own Undo, or the notice is a failure. */
  readonly taking?: NoticedChange;
}

export interface NoticedChange {
  /** Log position of the target's last event. */
  readonly position: number;
  readonly stream: string;
  readonly operation: string;
  readonly by: Actor;
  readonly approvedBy?: Actor;
  /** How many records the notice is about. */
  readonly count: number;
  /** With several records: the positions of the first and the last event. Left out: written by an older version. */
  readonly among?: readonly [from: number, to: number];
}
