import type { Where } from '../../../kernel/record/projection.js';
import type { Write } from '../../../ports/read-store.port.js';

export type DocumentWrite = Extract<Write, { kind: 'put' | 'remove' }>;

/** The writes of a phase may be done in any order. The phases of a collection must be done one after the other. */
export type Phase =
  | { readonly kind: 'documents'; readonly writes: readonly DocumentWrite[] }
  | { readonly kind: 'removeWhere'; readonly where: Where };

/**
 * Of several writes to the same document in a phase, only the last one is done. A removal by condition must see the
 * writes before it, so it is a phase of its own.
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
    if (write.kind === 'index' || write.kind === 'dropIndex') continue;
    const { collection } = write;
    if (write.kind === 'removeWhere') {
      close(collection);
      phasesIn(phases, collection).push({ kind: 'removeWhere', where: write.where });
      continue;
    }
    // An id that is not well-formed Unicode belongs to no document. The removal is skipped, because the driver would
    // turn the id into another one.
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
