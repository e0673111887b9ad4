import type { RecordedEvent } from '../event/event.js';

/** A field path of a document. Every index ends with the document's id, so that paging has a total order. */
export interface Index {
  readonly fields: readonly string[];
  readonly unique?: boolean;
}

/** A document's id is unique across all workspaces; the document contains its workspace. */
export interface Document {
  readonly id: string;
  readonly workspaceId: string;
}

/** How one event changes one document: the next document, or undefined to remove it. Must be pure. */
export type Step = (document: Document | undefined) => Document | undefined;

export type Change =
  /** Replaces any existing document, so nothing has to be loaded. */
  | { readonly kind: 'put'; readonly collection: string; readonly id: string; readonly document: Document }
  | { readonly kind: 'step'; readonly collection: string; readonly id: string; readonly step: Step }
  | { readonly kind: 'removeWhere'; readonly collection: string; readonly where: Where }
  /** From now on, and in every later build, queries may find these documents by this field. */
  | { readonly kind: 'index'; readonly collection: string; readonly index: PartIndex }
  /** Without a field: all indexes of these documents. */
  | {
      readonly kind: 'dropIndex';
      readonly collection: string;
      readonly index: Pick<PartIndex, 'where'> & Partial<PartIndex>;
    };

/** A value means equality, an object a range or a choice. All conditions must match. */
export type Where = Readonly<Record<string, Scalar | Range>>;
export type Scalar = string | number | boolean | null;
export interface Range {
  readonly gt?: string | number;
  readonly gte?: string | number;
  readonly lt?: string | number;
  readonly lte?: string | number;
  readonly in?: readonly Scalar[];
}

/** An index of some documents of a collection, made while the service runs. It affects only the speed of queries. */
export interface PartIndex {
  /** Selects its documents, all of one workspace. Queries whose `where` contains these values too can use it. */
  readonly where: Readonly<Record<string, string>>;
  readonly field: string;
}

export interface Collection {
  readonly indexes: readonly Index[];
  /**
   * Members whose fields can be searched, indexed and compared as lists and as JSON; stores maintain a copy for that.
   * In other members only texts, numbers and booleans can be compared.
   */
  readonly searchable?: readonly string[];
}

/** Events of these types, or of streams of these categories. */
export type Reading = { readonly types: readonly string[] } | { readonly categories: readonly string[] };

/**
 * A read model: which events it reads and how each changes its documents. Raise `version` when the meaning of a
 * document changes; the new version is built beside the old one and replaces it once it has caught up.
 */
export interface Projection {
  readonly name: string;
  readonly version: number;
  readonly collections: Readonly<Record<string, Collection>>;
  /** The part of the log that it reads. */
  readonly reads: Reading;
  /**
   * It gets events with their personal data opened, and its documents contain it in the clear, so that it can be looked
   * up. A document must be removed by the event after which the key is destroyed. Left out: personal data stays sealed.
   */
  readonly opens?: true;
  /** Projections of the same area follow the log together, with one checkpoint and one lease. */
  readonly area?: string;
  /** Set if its single collection contains the records of this stream category, exactly as their events fold. */
  readonly recordsOf?: string;
  changes(event: RecordedEvent): readonly Change[];
}

type Handlers = Readonly<Record<string, (event: RecordedEvent<string, never>) => readonly Change[]>>;

/** Declares a projection by event type; types without a handler are not read. */
export function projection(declared: Omit<Projection, 'reads' | 'changes'> & { readonly on: object }): Projection {
  const { on, ...rest } = declared;
  const handlers = on as Handlers;
  return {
    ...rest,
    reads: { types: Object.keys(handlers) },
    changes: (event) => handlers[event.type]?.(event as RecordedEvent<string, never>) ?? [],
  };
}

/** The type of `projection`'s `on`: one entry per event type of the union. */
export type On<E extends RecordedEvent> = {
  readonly [Type in E['type']]?: (event: Extract<E, { type: Type }>) => readonly Change[];
};

export function step<D extends Document>(
  collection: string,
  id: string,
  next: (document: D | undefined) => D | undefined,
): Change {
  return { kind: 'step', collection, id, step: next as Step };
}

/** Changes an existing document. A missing one is ignored: its first event was pruned from the log. */
export function amend<D extends Document>(collection: string, id: string, next: (document: D) => D): Change {
  return step<D>(collection, id, (document) => (document === undefined ? undefined : next(document)));
}

export function put<D extends Document>(collection: string, document: D): Change {
  return { kind: 'put', collection, id: document.id, document };
}

export function remove(collection: string, id: string): Change {
  return step(collection, id, () => undefined);
}

export function removeWhere(collection: string, where: Where): Change {
  return { kind: 'removeWhere', collection, where };
}

export function index(collection: string, made: PartIndex): Change {
  return { kind: 'index', collection, index: made };
}

export function dropIndex(collection: string, dropped: Pick<PartIndex, 'where'> & Partial<PartIndex>): Change {
  return { kind: 'dropIndex', collection, index: dropped };
}
