import type { Actor } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

/**
 * Keyed by stream category. Events are named after the noun, such as `PageCreated`, `PageUpdated`, `PageDeleted` and,
 * for an undo, `PageRestored`. Each contains the changed fields, the project and the caller's `message`.
 */
export const contentNouns = { page: 'Page', component: 'Component', emailTemplate: 'EmailTemplate' } as const;

/** Settings of the project that belong to its content: they are in git, and in the snapshots that include settings. */
export const contentSettings = ['name', 'description', 'dependencies', 'brandKit'] as const;

/** Limit for one record, in bytes of UTF-8. */
export const contentLimit = 2 * 1024 * 1024;

export type ContentChange = 'created' | 'updated' | 'deleted';
export const snapshotKinds = ['change', 'restore', 'revert'] as const;

/** The content of a project after all events of one command, or before edits were discarded. */
export interface Snapshot extends Document {
  readonly projectId: string;
  readonly position: number;
  readonly commandId: string;
  readonly kind: (typeof snapshotKinds)[number];
  readonly label: string | null;
  readonly author: Pick<Actor, 'kind' | 'id' | 'name'>;
  readonly createdAt: string;
  readonly files: readonly SnapshotFile[];
  /** True if the snapshot also includes `contentSettings`, because it was saved before edits were discarded. */
  readonly includesSettings?: true;
}

export interface SnapshotFile {
  readonly kind: string;
  readonly id: string;
  readonly change: ContentChange;
}

/** Deleted records remain listed, because earlier snapshots contain them. */
export interface ContentFile extends Document {
  readonly projectId: string;
  readonly kind: string;
  readonly name: string;
  readonly path: string | null;
  readonly since: number;
  readonly changed: number;
  /** Log position of the deletion. `null` if the record exists. */
  readonly deleted: number | null;
}
