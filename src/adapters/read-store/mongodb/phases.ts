import type { Where } from '../../../kernel/projection.js';
import type { Write } from '../../../ports/read-store.port.js';

export type DocumentWrite = Extract<Write, { kind: 'put' | 'remove' }>;

/** What of one collection can be written in any order; what stands in different phases cannot. */
export type Phase =
  | { readonly kind: 'documents'; readonly writes: readonly DocumentWrite[] }
  | { readonly kind: 'removeWhere'; readonly where: Where };

/**
 * Collections do not see one another, and of several writes of one document only the last counts; a removal by
 * condition sees what stands before it. So what is left are stretches of documents between removals by condition.
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
    const { collection } = write;
    if (write.kind === 'removeWhere') {
      close(collection);
      phasesIn(phases, collection).push({ kind: 'removeWhere', where: write.where });
      continue;
    }
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
