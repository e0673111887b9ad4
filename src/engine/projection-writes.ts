import type { RecordedEvent } from '../kernel/event.js';
import type { Change, Document, Projection } from '../kernel/projection.js';
import type { Build, Held, ReadStore, Write } from '../ports/read-store.port.js';

/** Changes that are written in one commit, and the checkpoint it sets. */
export interface Round {
  readonly changes: readonly Placed[];
  readonly upTo: number;
}

interface Placed {
  readonly change: Change;
  readonly position: number;
}

/** A change of one document. */
type Step = Placed & { readonly change: Extract<Change, { kind: 'step' | 'put' }> };

const isStep = (placed: Placed): placed is Step => placed.change.kind !== 'removeWhere';

/**
 * Splits a batch into rounds. An event that removes by condition ends a round, because later events must not load and
 * rewrite the documents it removes.
 */
export function roundsOf(projection: Projection, events: readonly RecordedEvent[]): readonly Round[] {
  const rounds: { changes: Placed[]; upTo: number }[] = [];
  let open: { changes: Placed[]; upTo: number } | undefined;
  for (const event of events) {
    const changes = projection.changes(event);
    if (changes.length === 0) continue;
    if (open === undefined) {
      open = { changes: [], upTo: -1 };
      rounds.push(open);
    }
    for (const change of changes) open.changes.push({ change, position: event.position });
    open.upTo = event.position;
    if (changes.some(({ kind }) => kind === 'removeWhere')) open = undefined;
  }
  return rounds;
}

/**
 * Folds a round into writes: each document is loaded (unless an event begins it) and written once, however many events
 * change it. An event that a document already includes (a batch repeated after a crash) has no effect. Removals come
 * last.
 */
export async function writesOf(build: Build, store: ReadStore, { changes }: Round): Promise<readonly Write[]> {
  const steps = changes.filter(isStep);
  const writes: Write[] = [];
  for (const [collection, ofCollection] of Map.groupBy(steps, ({ change }) => change.collection)) {
    const byDocument = Map.groupBy(ofCollection, ({ change }) => change.id);
    const ids = [...byDocument].filter(([, [first]]) => first?.change.kind === 'step').map(([id]) => id);
    const held = ids.length === 0 ? nothing : await store.load(build, collection, ids);
    for (const [id, ofDocument] of byDocument) {
      const write = writeOf(collection, id, held.get(id), ofDocument);
      if (write !== undefined) writes.push(write);
    }
  }
  for (const { change } of changes) if (change.kind === 'removeWhere') writes.push(change);
  return writes;
}

const nothing: ReadonlyMap<string, Held> = new Map();

function writeOf(collection: string, id: string, held: Held | undefined, steps: readonly Step[]): Write | undefined {
  const fresh = steps.filter(({ position }) => held === undefined || position > held.position);
  const before: Document | undefined = held?.document;
  const after = fresh.reduce(
    (document, { change }) => (change.kind === 'put' ? change.document : change.step(document)),
    before,
  );
  // A document that begins was not loaded. It may exist all the same, from an earlier or partly written batch.
  const isUnknown = steps[0]?.change.kind === 'put';
  if (after === undefined) return before === undefined && !isUnknown ? undefined : { kind: 'remove', collection, id };
  if (after === before) return undefined;
  return { kind: 'put', collection, document: after, position: fresh.at(-1)?.position ?? -1 };
}
