import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import type { Document, DocumentChange, Projection } from '../../kernel/record/projection.js';
import type { Build, PositionedDocument, ReadStore, Write } from '../../ports/read-store.port.js';
import { mustFitStores } from '../read-models/document-size-limit.js';
import type { Quarantine } from '../read-models/quarantine.js';
import { reads } from '../read-models/read-models.js';

/** The changes of one commit, which sets the checkpoint to `upTo`. */
export interface Round {
  readonly changes: readonly PlacedChange[];
  readonly upTo: number;
}

export interface ProjectionPart {
  readonly projection: Projection;
  readonly build: Build;
  readonly setAside: Quarantine;
}

interface PlacedChange {
  readonly part: ProjectionPart;
  readonly change: DocumentChange;
  readonly event: RecordedEvent;
}

type Step = PlacedChange & { readonly change: Extract<DocumentChange, { kind: 'step' | 'put' }> };

const isStep = (placed: PlacedChange): placed is Step => placed.change.kind === 'step' || placed.change.kind === 'put';

/**
 * A commit ends after this many changes. It is one transaction, which in MongoDB must fit into the cache and end within
 * a minute.
 */
const mostChanges = 5_000;

/**
 * Each returned round is one commit. A removal by condition ends a round, because later events must not load documents
 * that are about to be removed.
 */
export function roundsOf(parts: readonly ProjectionPart[], events: readonly RecordedEvent[]): readonly Round[] {
  const rounds: { changes: PlacedChange[]; upTo: number }[] = [];
  let open: { changes: PlacedChange[]; upTo: number } | undefined;
  for (const event of events) {
    let removes = false;
    for (const part of parts) {
      const { projection, setAside } = part;
      if (parts.length > 1 && !reads(projection.reads, event)) continue;
      for (const change of changesOf(projection, event, setAside)) {
        if (open === undefined) {
          open = { changes: [], upTo: -1 };
          rounds.push(open);
        }
        open.changes.push({ part, change, event });
        open.upTo = event.position;
        removes ||= change.kind === 'removeWhere';
      }
    }
    if (removes || (open !== undefined && open.changes.length >= mostChanges)) open = undefined;
  }
  return rounds;
}

function changesOf(projection: Projection, event: RecordedEvent, setAside: Quarantine): readonly DocumentChange[] {
  if (setAside.passesOver(event)) return [];
  try {
    return projection.changes(event);
  } catch (error) {
    setAside.stream(event, error);
    if (projection.recordsOf === undefined) return [];
    return recordOf(projection, event).map(({ collection, id }) => {
      const step = (before: Document | undefined) => setAside.document(collection, before, id, event, error);
      return { kind: 'step', collection, id, step };
    });
  }
}

function recordOf({ collections }: Projection, { stream }: RecordedEvent) {
  try {
    const { id } = parseStream(stream);
    return Object.keys(collections).map((collection) => ({ collection, id }));
  } catch {
    return [];
  }
}

/**
 * Each document is loaded and written once, no matter how many events change it. Events that a document already
 * includes are skipped, because after a crash a batch is processed again.
 */
export async function writesOf(store: Pick<ReadStore, 'load'>, { changes }: Round): Promise<readonly Write[]> {
  const steps = changes
    .filter(isStep)
    .filter(({ part, change, event }) => !part.setAside.holdsBack(change.collection, change.id, event.position));
  const writes: Write[] = [];
  for (const [collection, ofCollection] of Map.groupBy(steps, ({ change }) => change.collection)) {
    const part = ofCollection[0]?.part;
    if (part === undefined) continue;
    const { build } = part;
    const byDocument = Map.groupBy(ofCollection, ({ change }) => change.id);
    const ids = [...byDocument].filter(([, [first]]) => first?.change.kind === 'step').map(([id]) => id);
    const stored: ReadonlyMap<string, PositionedDocument> =
      ids.length === 0 ? new Map() : await store.load(build, collection, ids);
    for (const [id, ofDocument] of byDocument) {
      const write = writeOf(collection, id, stored.get(id), ofDocument, part);
      if (write !== undefined) writes.push(write);
    }
  }
  for (const { part, change } of changes) {
    if (change.kind === 'removeWhere') writes.push({ ...change, ...erasing(part) });
    else if (change.kind === 'index' || change.kind === 'dropIndex') writes.push(change);
  }
  return writes;
}

function writeOf(
  collection: string,
  id: string,
  stored: PositionedDocument | undefined,
  steps: readonly Step[],
  part: ProjectionPart,
): Write | undefined {
  const { setAside } = part;
  const fresh = steps.filter(({ event }) => stored === undefined || event.position > stored.position);
  const before: Document | undefined = stored?.document;
  let after = before;
  for (const { change, event } of fresh) {
    if (setAside.holdsBack(collection, id, event.position)) break;
    try {
      const next = change.kind === 'put' ? change.document : change.step(after);
      if (next !== undefined && next !== after) mustFitStores(next);
      after = next;
    } catch (error) {
      after = setAside.document(collection, after, id, event, error);
    }
  }
  // A document that an event creates was not loaded, so it is unknown whether the store has one from an interrupted
  // attempt.
  const isUnknown = steps[0]?.change.kind === 'put';
  if (after === undefined) {
    return before === undefined && !isUnknown ? undefined : { kind: 'remove', collection, id, ...erasing(part) };
  }
  if (after === before) return undefined;
  const position = fresh.at(-1)?.event.position ?? -1;
  return { kind: 'put', collection, document: after, position, ...(!isUnknown && { over: stored?.position ?? null }) };
}

/** Removed documents with personal data in the clear must not remain in the store's files. */
const erasing = ({ projection }: ProjectionPart): { readonly erases?: true } =>
  projection.opens ? { erases: true } : {};
