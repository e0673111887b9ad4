import type { Actor, NewEvent } from './event.js';
import { parseStream } from './stream-name.js';

/**
 * Stands where a stream's pruned event stood while the log is carried elsewhere, so that those behind it keep their
 * revisions, and is pruned there as well. It tells nothing: nobody reads it.
 */
export const revisionPruned = 'RevisionPruned';

const actor: Actor = { kind: 'system', id: 'system', name: 'log-import' };

/** @param id the same each time for the same revision, so that it is recorded once. */
export function prunedRevision(stream: string, id: string, at: string): NewEvent {
  const { workspaceId } = parseStream(stream);
  const origin = { correlationId: id, causationId: null, commandId: id, operation: 'log:import' };
  return { id, type: revisionPruned, data: {}, metadata: { workspaceId, actor, ...origin, at } };
}
