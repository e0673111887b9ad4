import type { Actor } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

/**
 * The kinds of records that snapshots include, by the category of their streams. Their events are `<Noun>Created`,
 * `<Noun>Updated`, `<Noun>Deleted` and, by an undo, `<Noun>Restored`, and contain the changed facts, the project and
 * the caller's `message`.
 */
export const contentNouns = { page: 'Page', component: 'Component', emailTemplate: 'EmailTemplate' } as const;

/** Size limit of the content of one record, in bytes of UTF-8. */
export const contentLimit = 2 * 1024 * 1024;

export type ContentChange = 'created' | 'updated' | 'deleted';
export const snapshotKinds = ['change', 'restore', 'revert'] as const;

/** A point in the log: a project's content after everything that one command recorded. */
export interface Snapshot extends Document {
  readonly projectId: string;
  /** Position of the command's last event. */
  readonly position: number;
  readonly commandId: string;
  readonly kind: (typeof snapshotKinds)[number];
  readonly label: string | null;
  readonly author: Pick<Actor, 'kind' | 'id' | 'name'>;
  readonly createdAt: string;
  readonly files: readonly SnapshotFile[];
}

/** The effect of the command on one record. */
export interface SnapshotFile {
  readonly kind: string;
  readonly id: string;
  readonly change: ContentChange;
}

/** Every record that a project ever contained, so that each can be found as it was. */
export interface ContentFile extends Document {
  readonly projectId: string;
  readonly kind: string;
  /** The present name, or the name when it was deleted. */
  readonly name: string;
  readonly path: string | null;
  /** Positions of its first event and of its last. */
  readonly since: number;
  readonly changed: number;
  /** Position at which it was deleted; null if it exists. */
  readonly deleted: number | null;
}
