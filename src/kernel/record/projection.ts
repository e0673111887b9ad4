import type { RecordedEvent } from '../event/event.js';

/**
 * An index on fields of a document, given as paths. Every index ends with the document's id, so that paging has a total
 * order.
 */
export interface Index {
  readonly fields: readonly string[];
  readonly unique?: boolean;
  /**
   * Set if each new key is the greatest so far, or the greatest among those with the same leading fields, if these have
   * only a few values. Such an index costs little to maintain, so a build of a long history has it from its beginning
   * and not only at its end.
   */
  readonly ascends?: true;
}

export interface Document {
  readonly id: string;
  readonly workspaceId: string;
}

/** Returns the next document, or undefined to remove it. Must be pure. */
export type Step = (document: Document | undefined) => Document | undefined;

export type DocumentChange =
  /** Replaces any existing document, so nothing has to be loaded. */
  | { readonly kind: 'put'; readonly collection: string; readonly id: string; readonly document: Document }
  | { readonly kind: 'step'; readonly collection: string; readonly id: string; readonly step: Step }
  | { readonly kind: 'removeWhere'; readonly collection: string; readonly where: Where }
  /**
   * Creates an index on one field of some documents. When the read model is built again, it handles the same event and
   * creates the index again.
   */
  | { readonly kind: 'index'; readonly collection: string; readonly index: PartIndex }
  /**
   * Drops the index on `field` of the documents that `where` selects or, without `field`, all indexes of these
   * documents.
   */
  | {
      readonly kind: 'dropIndex';
      readonly collection: string;
      readonly index: Pick<PartIndex, 'where'> & Partial<PartIndex>;
    };

/**
 * Conditions by field path, all of which must match. A value means equality; an object is a range or a list of choices.
 */
export type Where = Readonly<Record<string, Scalar | Range>>;
export type Scalar = string | number | boolean | null;
export interface Range {
  readonly gt?: string | number;
  readonly gte?: string | number;
  readonly lt?: string | number;
  readonly lte?: string | number;
  readonly in?: readonly Scalar[];
}

/** An index that is created while the service runs. It affects only the speed of queries. */
export interface PartIndex {
  /**
   * The index covers the documents with these values, which all belong to one workspace. Queries whose `where` contains
   * the values can use the index.
   */
  readonly where: Readonly<Record<string, string>>;
  readonly field: string;
}

export interface Collection {
  readonly indexes: readonly Index[];
  /**
   * Stores keep an additional copy of these members, so that fields in them can be searched, indexed and compared as
   * lists and as JSON. In other members, only texts, numbers and booleans can be compared.
   */
  readonly searchable?: readonly string[];
}

export type Reading = { readonly types: readonly string[] } | { readonly categories: readonly string[] };

/**
 * A read model. Raise `version` when the meaning of a document changes. The new version is built next to the old one
 * and replaces it once it has caught up.
 */
export interface Projection {
  readonly name: string;
  readonly version: number;
  readonly collections: Readonly<Record<string, Collection>>;
  readonly reads: Reading;
  /**
   * Set if the projection receives personal data decrypted, so that documents can be looked up by it. The projection
   * must then remove a document on the event after which the document's key is destroyed.
   */
  readonly opens?: true;
  /** Projections of the same area follow the log together, with one checkpoint and one lease. */
  readonly area?: string;
  readonly recordsOf?: string;
  changes(event: RecordedEvent): readonly DocumentChange[];
}

type Handlers = Readonly<Record<string, (event: RecordedEvent<string, never>) => readonly DocumentChange[]>>;

export function projection(declared: Omit<Projection, 'reads' | 'changes'> & { readonly on: object }): Projection {
  const { on, ...rest } = declared;
  const handlers = on as Handlers;
  return {
    ...rest,
    reads: { types: Object.keys(handlers) },
    changes: (event) => handlers[event.type]?.(event as RecordedEvent<string, never>) ?? [],
  };
}

export type On<E extends RecordedEvent> = {
  readonly [Type in E['type']]?: (event: Extract<E, { type: Type }>) => readonly DocumentChange[];
};

export function step<D extends Document>(
  collection: string,
  id: string,
  next: (document: D | undefined) => D | undefined,
): DocumentChange {
  return { kind: 'step', collection, id, step: next as Step };
}

/**
 * Changes a document. Does nothing if the document is missing, as it is when its first event was pruned from the log.
 */
export function amend<D extends Document>(collection: string, id: string, next: (document: D) => D): DocumentChange {
  return step<D>(collection, id, (document) => (document === undefined ? undefined : next(document)));
}

export function put<D extends Document>(collection: string, document: D): DocumentChange {
  return { kind: 'put', collection, id: document.id, document };
}

export function remove(collection: string, id: string): DocumentChange {
  return step(collection, id, () => undefined);
}

export function removeWhere(collection: string, where: Where): DocumentChange {
  return { kind: 'removeWhere', collection, where };
}

export function index(collection: string, made: PartIndex): DocumentChange {
  return { kind: 'index', collection, index: made };
}

export function dropIndex(collection: string, dropped: Pick<PartIndex, 'where'> & Partial<PartIndex>): DocumentChange {
  return { kind: 'dropIndex', collection, index: dropped };
}
