import type { Actor, NewEvent } from './event.js';
import { parseStream } from './stream-name.js';

/**
 * Replaces a pruned event when a log is moved to another store, so that later events of the stream retain their
 * revisions. It has no content, and code that reads whole logs must skip it.
 */
export const revisionPruned = 'RevisionPruned';

const actor: Actor = { kind: 'system', id: 'system', name: 'log-import' };

/** @param id must be derived from the revision, so that a repeated import records the event only once */
export function prunedRevision(stream: string, id: string, at: string): NewEvent {
  const { workspaceId } = parseStream(stream);
  const origin = { correlationId: id, causationId: null, commandId: id, operation: 'log:import' };
  return { id, type: revisionPruned, data: {}, metadata: { workspaceId, actor, ...origin, at } };
}
