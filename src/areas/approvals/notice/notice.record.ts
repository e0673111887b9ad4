import type { Actor } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

/**
 * `change`: a deletion, or another change that was made without approval. `failure`: something stopped working or works
 * badly.
 */
export const noticeKinds = ['change', 'failure'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** A change can be undone only until its notice expires. */
export interface Notice extends Document {
  readonly kind: NoticeKind;
  readonly summary: string;
  readonly target: { readonly kind: string; readonly id: string; readonly name: string };
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly undoneAt: string | null;
  /** Set if a caller deleted, removed or revoked something. `audit/undoChange` can then undo the deletion. */
  readonly taking?: NoticedChange;
}

export interface NoticedChange {
  readonly position: number;
  readonly stream: string;
  readonly operation: string;
  readonly by: Actor;
  readonly approvedBy?: Actor;
  readonly count: number;
  /**
   * Set if several records were deleted: log positions of the first and the last deletion. Notices that older versions
   * of the service recorded do not have it.
   */
  readonly among?: readonly [from: number, to: number];
}
