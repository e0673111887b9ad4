import type { EventMetadata } from '../../../kernel/event/event.js';
import type { Undo } from '../../../kernel/record/undo.js';
import { type Versioned, wentLive } from './function-version.js';

/** Changes made at once with Full data access can be undone. All events of one save carry the same Undo. */
export interface Undoable {
  readonly undo?: Undo;
}

/**
 * A person's permission to fix: until it expires, new code goes live at once despite Full data access (settled question
 * Q-S120).
 */
export interface FixingPermission {
  readonly until: string;
  /** The members who are treated as having allowed it. */
  readonly members: readonly string[];
}

interface Undone {
  readonly undo: { readonly before: { readonly liveVersionId?: string } } | null;
}

/** Any stored change ends the time in which the previous change can be undone. */
export function touched(
  fn: { readonly updatedAt: string },
  at: string,
): { readonly updatedAt: string; readonly undo: null } {
  if (at > fn.updatedAt) return { updatedAt: at, undo: null };
  return { updatedAt: new Date(Date.parse(fn.updatedAt) + 1).toISOString(), undo: null };
}

/** An Undo of new code makes the version before it live again. */
export function liveAgain(fn: Versioned & Undone, made: EventMetadata) {
  const versionId = fn.undo?.before.liveVersionId ?? fn.liveVersionId;
  return versionId === fn.liveVersionId ? {} : wentLive(fn, versionId, made);
}
