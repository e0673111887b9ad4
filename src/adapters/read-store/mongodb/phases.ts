import type { Where } from '../../../kernel/record/projection.js';
import type { Write } from '../../../ports/read-store.port.js';

export type DocumentWrite = Extract<Write, { kind: 'put' | 'remove' }>;

/** Writes of one collection that can be done in any order. The phases themselves must be done in order. */
export type Phase =
  | { readonly kind: 'documents'; readonly writes: readonly DocumentWrite[] }
  | { readonly kind: 'removeWhere'; readonly where: Where };

/**
 * Groups writes by collection into phases. Collections are independent, and of several writes of one document only the
 * last has an effect. A removal by condition sees earlier writes. So each phase is a group of documents, or a removal
 * by condition between such groups.
 */
export function phasesOf(writes: readonly Write[]): ReadonlyMap<string, readonly Phase[]> {
  const phases = new Map<string, Phase[]>();
  const open = new Map<string, Map<string, DocumentWrite>>();
  const close = (collection: string) => {
    const documents = open.get(collection);
    if (documents !== undefined)
      phasesIn(phases, collection).push({ kind: 'documents', writes: [...documents.values()] });
    open.delete(collection);
  };
  for (const write of writes) {
    // With MongoDB, one index over every field serves all queries, so there is nothing to create or drop.
    if (write.kind === 'index' || write.kind === 'dropIndex') continue;
    const { collection } = write;
    if (write.kind === 'removeWhere') {
      close(collection);
      phasesIn(phases, collection).push({ kind: 'removeWhere', where: write.where });
      continue;
    }
    // No document has an id that is not well-formed, and the driver would turn it into another id.
    if (write.kind === 'remove' && !write.id.isWellFormed()) continue;
    const documents = open.get(collection) ?? new Map<string, DocumentWrite>();
    documents.set(write.kind === 'put' ? write.document.id : write.id, write);
    open.set(collection, documents);
  }
  for (const collection of [...open.keys()]) close(collection);
  return phases;
}

function phasesIn(phases: Map<string, Phase[]>, collection: string): Phase[] {
  const known = phases.get(collection) ?? [];
  phases.set(collection, known);
  return known;
}
