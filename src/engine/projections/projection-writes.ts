import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import type { Change, Document, Projection } from '../../kernel/record/projection.js';
import type { Build, Held, ReadStore, Write } from '../../ports/read-store.port.js';
import { mustBeKeepable } from '../read-models/keepable.js';
import { reads } from '../read-models/read-models.js';
import type { SetAside } from '../read-models/set-aside.js';

/** Changes that are written in one commit, and the checkpoint it sets. */
export interface Round {
  readonly changes: readonly Placed[];
  readonly upTo: number;
}

/** One of the projections that are fed together, and the build of it that is written. */
export interface Part {
  readonly projection: Projection;
  readonly build: Build;
  readonly setAside: SetAside;
}

interface Placed {
  readonly part: Part;
  readonly change: Change;
  readonly event: RecordedEvent;
}

/** A change of one document. */
type Step = Placed & { readonly change: Extract<Change, { kind: 'step' | 'put' }> };

const isStep = (placed: Placed): placed is Step => placed.change.kind === 'step' || placed.change.kind === 'put';

/** A round is one transaction of the store, and those of MongoDB must fit into its cache and end within a minute. */
const mostChanges = 2_000;

/**
 * Splits a batch into rounds. An event that removes by condition ends a round, because later events must not load and
 * rewrite the documents it removes; so does one that makes it large. An event that cannot be read is set aside with its stream.
 */
export function roundsOf(parts: readonly Part[], events: readonly RecordedEvent[]): readonly Round[] {
  const rounds: { changes: Placed[]; upTo: number }[] = [];
  let open: { changes: Placed[]; upTo: number } | undefined;
  for (const event of events) {
    const changes = parts.flatMap((part) => placed(part, event, parts.length > 1));
    if (changes.length === 0) continue;
    if (open === undefined) {
      open = { changes: [], upTo: -1 };
      rounds.push(open);
    }
    open.changes.push(...changes);
    open.upTo = event.position;
    const isFull = open.changes.length >= mostChanges;
    if (isFull || changes.some(({ change }) => change.kind === 'removeWhere')) open = undefined;
  }
  return rounds;
}

/** One of several projections also gets the events that others of them read. */
function placed(part: Part, event: RecordedEvent, isOneOfMany: boolean): readonly Placed[] {
  const { projection, setAside } = part;
  if (isOneOfMany && !reads(projection.reads, event)) return [];
  return changesOf(projection, event, setAside).map((change) => ({ part, change, event }));
}

function changesOf(projection: Projection, event: RecordedEvent, setAside: SetAside): readonly Change[] {
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

/** The document of the record whose stream this is; none when its name cannot be read. */
function recordOf({ collections }: Projection, { stream }: RecordedEvent) {
  try {
    const { id } = parseStream(stream);
    return Object.keys(collections).map((collection) => ({ collection, id }));
  } catch {
    return [];
  }
}

/**
 * Folds a round into writes: each document is loaded (unless an event begins it) and written once, however many events
 * change it. An event that a document already includes (a batch repeated after a crash) has no effect. Removals and
 * changes of indexes come last. A document that cannot take in an event is set aside: it keeps the state before, and a mark.
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
    const held: ReadonlyMap<string, Held> = ids.length === 0 ? new Map() : await store.load(build, collection, ids);
    for (const [id, ofDocument] of byDocument) {
      const write = writeOf(collection, id, held.get(id), ofDocument, part);
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
  held: Held | undefined,
  steps: readonly Step[],
  part: Part,
): Write | undefined {
  const { setAside } = part;
  const fresh = steps.filter(({ event }) => held === undefined || event.position > held.position);
  const before: Document | undefined = held?.document;
  let after = before;
  for (const { change, event } of fresh) {
    if (setAside.holdsBack(collection, id, event.position)) break;
    try {
      const next = change.kind === 'put' ? change.document : change.step(after);
      if (next !== undefined && next !== after) mustBeKeepable(next);
      after = next;
    } catch (error) {
      after = setAside.document(collection, after, id, event, error);
    }
  }
  // A document that begins was not loaded. It may exist all the same, from an earlier or partly written batch.
  const isUnknown = steps[0]?.change.kind === 'put';
  if (after === undefined) {
    return before === undefined && !isUnknown ? undefined : { kind: 'remove', collection, id, ...erasing(part) };
  }
  if (after === before) return undefined;
  const position = fresh.at(-1)?.event.position ?? -1;
  return { kind: 'put', collection, document: after, position, ...(!isUnknown && { over: held?.position ?? null }) };
}

/** What is removed from documents in the clear must not stay in the store's files. */
const erasing = ({ projection }: Part): { readonly erases?: true } => (projection.opens ? { erases: true } : {});
