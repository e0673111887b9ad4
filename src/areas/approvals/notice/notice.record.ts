import type { Actor } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

/**
 * `change` is a change made at once, without approval. `failure` means that something has stopped working or works
 * badly.
 */
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
  /** Set if a caller deleted something. Omitted if the record has its own Undo or the notice is about a failure. */
  readonly taking?: NoticedChange;
}

export interface NoticedChange {
  /** Log position of the target's last event. */
  readonly position: number;
  readonly stream: string;
  readonly operation: string;
  readonly by: Actor;
  readonly approvedBy?: Actor;
  /** Number of records that the notice is about. */
  readonly count: number;
  /**
   * For several records: the positions of the first and the last event. Missing in notices written by an older version.
   */
  readonly among?: readonly [from: number, to: number];
}
