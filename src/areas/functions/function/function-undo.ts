import type { EventMetadata } from '../../../kernel/event/event.js';
import type { Undo } from '../../../kernel/record/undo.js';
import { type Versioned, wentLive } from './function-version.js';

/** What was changed at once with Full data access can be undone. The events of one save name the same Undo. */
export interface Undoable {
  readonly undo?: Undo;
}

/** A person's grant: until then, new code goes live at once in spite of Full data access (settled question Q-S120). */
export interface KeptFixing {
  readonly until: string;
  /** The members who count as having given it. */
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
