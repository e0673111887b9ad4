import type { EventMetadata } from '../../../kernel/event/event.js';
import type { Undo } from '../../../kernel/record/undo.js';
import { type Versioned, wentLive } from './function-version.js';

/**
 * Part of an event's data. If members can undo a change that took effect at once, all events of its save have the same
 * `undo`.
 */
export interface Undoable {
  readonly undo?: Undo;
}

/**
 * A person's permission to change the code of a function without approval. Until it expires, new code goes live at once
 * despite Full data access (settled question Q-S120).
 */
export interface FixingPermission {
  readonly until: string;
  /**
   * Ids of the members who count as having given the permission: the person, the person behind a client or agent, and
   * the makers of the key or agent.
   */
  readonly members: readonly string[];
}

interface Undone {
  readonly undo: { readonly before: { readonly liveVersionId?: string } } | null;
}

/**
 * Returns an `updatedAt` that is later than the present one. `undo` is null, because any stored change ends the Undo of
 * the previous change.
 */
export function touched(
  fn: { readonly updatedAt: string },
  at: string,
): { readonly updatedAt: string; readonly undo: null } {
  if (at > fn.updatedAt) return { updatedAt: at, undo: null };
  return { updatedAt: new Date(Date.parse(fn.updatedAt) + 1).toISOString(), undo: null };
}

/** If the undone change made another version live, the previous live version becomes live again. */
export function liveAgain(fn: Versioned & Undone, made: EventMetadata) {
  const versionId = fn.undo?.before.liveVersionId ?? fn.liveVersionId;
  return versionId === fn.liveVersionId ? {} : wentLive(fn, versionId, made);
}
