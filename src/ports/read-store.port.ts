import type { Document, DocumentChange, Projection, Where } from '../kernel/record/projection.js';
import type { Filter, Search } from '../kernel/rows/row-filter.js';
import type { Sort } from '../kernel/rows/row-order.js';
import type { Group, Grouping } from '../kernel/rows/row-report.js';

/** Additional conditions on the documents that match `where`. */
export interface Narrowing {
  readonly filter?: Filter | undefined;
  readonly search?: Search | undefined;
  /**
   * Id of the site whose visitor composed the query. Omitted if a member of the workspace, or its code, composed it.
   */
  readonly visitedSite?: string | undefined;
}

/** Limits of customers' queries: queries with a filter, a search or `missing`, counts of rows, and all reports. */
export interface QueryLimits {
  /** Time, in milliseconds, that a query may run. */
  readonly deadlineMs: number;
  /** Time, in milliseconds, that a query may wait for its turn. */
  readonly waitMs: number;
  /** Number of queries that may wait, per workspace for its members and per site for its visitors. */
  readonly waiting: number;
}

/** Members' and visitors' queries have separate limits. */
export type QueryLimitsByCaller = Readonly<Record<'members' | 'visitors', QueryLimits>>;

/** Deadlines long enough to scan a table of a million rows, which takes a few seconds, and more on a busy machine. */
export const queryLimits: QueryLimitsByCaller = {
  members: { deadlineMs: 15_000, waitMs: 15_000, waiting: 100 },
  visitors: { deadlineMs: 2_000, waitMs: 2_000, waiting: 20 },
};

export interface Counting extends Narrowing {
  /** Stops counting at this number. Default: counts all. */
  readonly most?: number | undefined;
}

export interface Query extends Narrowing {
  readonly where: Where;
  /** Sort order. Default: by id, ascending. Ties are ordered by id, in the direction of the last field. */
  readonly sort?: Sort;
  /**
   * Puts absent and null values last in both directions. By default they are first when ascending and last when
   * descending.
   */
  readonly missing?: 'last';
  readonly limit?: number;
  /**
   * Skips this many documents, at a cost per document. Cannot be combined with `after` or `missing`, nor used for rows
   * of tables.
   */
  readonly skip?: number;
  /**
   * Returns only documents after this one in the sort order, given by the values of its sort fields and then its id.
   */
  readonly after?: readonly (string | number | boolean | null)[];
}

export interface Report extends Narrowing, Grouping {
  readonly where: Where;
}

/** A document with the position of the last event that affected it. */
export interface Held {
  readonly document: Document;
  readonly position: number;
}

/**
 * A write to a build. `erases` means that the removed data was personal and in the clear, and must soon be gone from
 * the store's own files. Embedded: within about a second. MongoDB: its files and its oplog retain removed documents
 * until the space is reused.
 */
export type Write =
  | {
      readonly kind: 'put';
      readonly collection: string;
      readonly document: Document;
      readonly position: number;
      /** Position of the document from which this one was made. Null if there was none. Absent if it was not loaded. */
      readonly over?: number | null;
    }
  | { readonly kind: 'remove'; readonly collection: string; readonly id: string; readonly erases?: true }
  | (Extract<DocumentChange, { kind: 'removeWhere' }> & { readonly erases?: true })
  | Extract<DocumentChange, { kind: 'index' | 'dropIndex' }>;

/** One build of a projection. A projection may have several; queries use the active one. */
export interface Build {
  readonly projection: string;
  /** Letters, digits and underscores; e.g. `v1_0`. */
  readonly generation: string;
}

/** Builds that follow the log together. Their shared checkpoint has the name of an area. */
export interface Shared {
  /** Generation of the shared checkpoint, which is a build without collections. */
  readonly generation: string;
  readonly checkpoint: number;
  /** Generation of each member's build, by projection. */
  readonly members: ReadonlyMap<string, string>;
}

/** Hooks for work that may take very long, such as creating an index over millions of documents. */
export interface Watched {
  /** Receives a progress sentence from time to time. */
  readonly report?: (sentence: string) => void;
  /** When aborted, the caller stops waiting, and the work rejects. */
  readonly stopping?: AbortSignal;
}

/** Another writer has moved this build's checkpoint, so this writer has lost the build. Nothing was written. */
export class CheckpointMoved extends Error {}

/** The store cannot be reached or written now. */
export class ReadStoreUnavailable extends Error {}

/** A query took longer than its limit or too much memory. Repeating it would not help. */
export class QueryGivenUp extends Error {}

/** Too many queries of the workspace are waiting, or this one waited too long. It may be repeated. */
export class QueriesTaken extends Error {}

/**
 * Documents made from events, for queries. The log is the source of truth, and everything here can be rebuilt from it.
 * Queries read the active build; the projection runner names the build it works on. Customers' queries end within their
 * limits, or reject with QueryGivenUp or QueriesTaken. A member's query never waits for a visitor's query of the same
 * workspace, and workspaces do not delay each other for long. In the embedded store, a query of some milliseconds does
 * not wait for a longer one.
 */
export abstract class ReadStore {
  /**
   * Creates the collections of a build with their declared indexes, which are complete when the promise resolves.
   * Idempotent.
   */
  abstract prepare(build: Build, collections: Projection['collections'], watched?: Watched): Promise<void>;

  /** Returns the build that queries read, or undefined if none was ever activated. */
  abstract active(projection: string): Promise<string | undefined>;

  /**
   * Switches queries to this build atomically. Other builds remain until they are discarded. Indexes of the build that
   * are no longer declared are dropped now at the latest.
   */
  abstract activate(build: Build, collections: Projection['collections']): Promise<void>;

  /** Removes a build and its checkpoint. Rejects for the active build. Idempotent. */
  abstract discard(build: Build, collections: Projection['collections']): Promise<void>;

  /** Returns all builds that have collections or a checkpoint. */
  abstract builds(projection: string): Promise<readonly string[]>;

  /** Returns the builds that follow the log under this name, or undefined if none ever did. */
  abstract shared(area: string): Promise<Shared | undefined>;

  /**
   * Starts a new generation of an area. In one step, these builds get a shared checkpoint at `at`, and a writer of the
   * former generation can no longer move its checkpoint. The builds must have processed the log up to `at`. Former
   * members that no longer take part must have left. @throws CheckpointMoved if the former generation is not the
   * current one or is not at `at`
   */
  abstract share(next: Build, former: string | undefined, at: number, members: readonly Build[]): Promise<void>;

  /**
   * Gives a build a checkpoint of its own, at the position of the shared one. Does nothing if the build does not share
   * one.
   */
  abstract leave(build: Build): Promise<void>;

  /**
   * Returns the log position up to which a build is complete, whether it follows the log alone or with others; -1 for a
   * new build.
   */
  abstract checkpoint(build: Build): Promise<number>;

  /** Returns this build's documents with these ids. Ids without a document are left out. */
  abstract load(build: Build, collection: string, ids: readonly string[]): Promise<ReadonlyMap<string, Held>>;

  /**
   * Writes documents in the given order, of the build or of those that share its checkpoint, and moves the checkpoint
   * from `expected` to `checkpoint`, in one transaction. Rejects ids that are not well-formed Unicode. On MongoDB, the
   * commit may have succeeded although it rejects with ReadStoreUnavailable. The same store then accepts another batch
   * from `expected`, if it is made from documents that were loaded again. @throws CheckpointMoved, ReadStoreUnavailable
   */
  abstract commit(build: Build, expected: number, checkpoint: number, writes: readonly Write[]): Promise<void>;

  /** See `EventStore.version`. */
  version(): number | undefined {
    return undefined;
  }

  /** Flushes batched commits now, because a reader is waiting. */
  flushSoon(): void {}

  /**
   * Returns a SHA-256 (hex) over all documents of a build, ordered by collection and id, with sorted keys and without
   * positions.
   */
  abstract digest(build: Build, collections: Projection['collections']): Promise<string>;

  /**
   * Returns one document of the active build, of any workspace. Callers must check `workspaceId` (or use `Reads`).
   * @param includes the log position that suffices the caller. Default: everything that was recorded before the call.
   */
  abstract get<D extends Document>(collection: string, id: string, includes?: number): Promise<D | undefined>;

  /** Returns documents of the active build. Fields without a declared index are allowed but slow. */
  abstract find<D extends Document>(collection: string, query: Query): Promise<readonly D[]>;

  abstract count(collection: string, where: Where, counting?: Counting): Promise<number>;

  /** Returns one row per group of documents of the active build, computed by the store. */
  abstract groups(collection: string, report: Report): Promise<readonly Group[]>;

  /** Checks that the store can be read and written now. Rejects with the reason if it cannot. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}
