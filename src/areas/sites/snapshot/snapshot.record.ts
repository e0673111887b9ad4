import type { Actor } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

/**
 * The kinds of records that snapshots contain, by the category of their streams. Their events are named
 * `<Noun>Created`, `<Noun>Updated`, `<Noun>Deleted` and, for an undo, `<Noun>Restored`. Each contains the changed
 * fields, the project and the caller's `message`.
 */
export const contentNouns = { page: 'Page', component: 'Component', emailTemplate: 'EmailTemplate' } as const;

/** Size limit of the content of one record, in bytes of UTF-8. */
export const contentLimit = 2 * 1024 * 1024;

export type ContentChange = 'created' | 'updated' | 'deleted';
export const snapshotKinds = ['change', 'restore', 'revert'] as const;

/** A point in the log: the content of a project after all events of one command. */
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

/**
 * A record that a project contains or once contained. Deleted records remain listed, because earlier snapshots contain
 * them.
 */
export interface ContentFile extends Document {
  readonly projectId: string;
  readonly kind: string;
  /** The current name. For a deleted record, its last name. */
  readonly name: string;
  readonly path: string | null;
  /** Log positions of the record's first and last events. */
  readonly since: number;
  readonly changed: number;
  /** Log position of the deletion. `null` if the record exists. */
  readonly deleted: number | null;
}
