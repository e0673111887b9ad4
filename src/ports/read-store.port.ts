import type { Change, Document, Projection, Where } from '../kernel/record/projection.js';
import type { Filter, Search } from '../kernel/rows/row-filter.js';
import type { Sort } from '../kernel/rows/row-order.js';
import type { Group, Grouping } from '../kernel/rows/row-report.js';

/** Further conditions on the documents that match `where`. */
export interface Narrowing {
  readonly filter?: Filter | undefined;
  readonly search?: Search | undefined;
  /** The site whose visitor composed the query. Left out: a member of the workspace or its code did. */
  readonly visitedSite?: string | undefined;
}

/** Limits of customers' queries: those with a filter, a search or `missing`, counts of rows, and all reports. */
export interface QueryLimits {
  /** How long a query may run. */
  readonly deadlineMs: number;
  /** How long a query may wait for its turn. */
  readonly waitMs: number;
  /** How many queries of a workspace's members, or of one site's visitors, may wait. */
  readonly waiting: number;
}

/** Visitors' queries have limits of their own. */
export type QueryLimitsByCaller = Readonly<Record<'members' | 'visitors', QueryLimits>>;

/** Scanning a table of a million rows takes a few seconds, and more on a busy machine. */
export const queryLimits: QueryLimitsByCaller = {
  members: { deadlineMs: 15_000, waitMs: 15_000, waiting: 100 },
  visitors: { deadlineMs: 2_000, waitMs: 2_000, waiting: 20 },
};

export interface Counting extends Narrowing {
  /** Counts up to this number. Default: all. */
  readonly most?: number | undefined;
}

export interface Query extends Narrowing {
  readonly where: Where;
  /** Default: by id, ascending. Ties are ordered by id, in the direction of the last field. */
  readonly sort?: Sort;
  /** Absent and null come last in both directions. Left out: first when ascending, last when descending. */
  readonly missing?: 'last';
  readonly limit?: number;
  /** Skips this many documents, each at a cost. Not with `after` or `missing`, nor for rows of tables. */
  readonly skip?: number;
  /** Only documents after this one in the sort order: the values of its sort fields, then its id. */
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
 * `erases`: the removed data was personal and in the clear, and must soon be gone from the store's own files. Embedded:
 * within about a second. MongoDB: its files and its oplog retain removed documents until the space is reused.
 */
export type Write =
  | {
      readonly kind: 'put';
      readonly collection: string;
      readonly document: Document;
      readonly position: number;
      /** Position of the document that this was made from, or null if there was none; absent: it was not loaded. */
      readonly over?: number | null;
    }
  | { readonly kind: 'remove'; readonly collection: string; readonly id: string; readonly erases?: true }
  | (Extract<Change, { kind: 'removeWhere' }> & { readonly erases?: true })
  | Extract<Change, { kind: 'index' | 'dropIndex' }>;

/** One build of one projection. There may be several; queries use the active one. */
export interface Build {
  readonly projection: string;
  /** Letters, digits and underscores; e.g. `v1_0`. */
  readonly generation: string;
}

/** Builds that follow the log together. Their common checkpoint has the name of an area. */
export interface Shared {
  /** Generation of the shared checkpoint, which is a build without collections. */
  readonly generation: string;
  readonly checkpoint: number;
  /** From projection to the generation that takes part. */
  readonly members: ReadonlyMap<string, string>;
}

/** For work that may take very long, such as an index over millions of documents. */
export interface Watched {
  /** Receives a progress sentence now and then. */
  readonly report?: (sentence: string) => void;
  /** Aborted: the caller stops waiting, and the work rejects. */
  readonly stopping?: AbortSignal;
}

/** Another writer has moved this build's checkpoint, so this writer has lost the build. Nothing was written. */
export class CheckpointMoved extends Error {}

/** The store cannot be reached or written now. */
export class ReadStoreUnavailable extends Error {}

/** A query took longer than its limit, or too much memory. Repeating it would not help. */
export class QueryGivenUp extends Error {}

/** More queries of the workspace are waiting than allowed, or this one waited too long. It may be repeated. */
export class QueriesTaken extends Error {}

/**
 * Documents made from events, for queries. The log is the source of truth: everything here can be rebuilt from it.
 * Queries read the active build; the projection runner names the build it works on.
 *
 * Customers' queries end within their limits, or reject with QueryGivenUp or QueriesTaken. A member's query never waits
 * for a visitor's of the same workspace, and workspaces do not delay each other for long; embedded, a query that takes
 * some milliseconds does not wait for a longer one.
 */
export abstract class ReadStore {
  /** Creates the collections of a build with their declared indexes, complete when it resolves. Idempotent. */
  abstract prepare(build: Build, collections: Projection['collections'], watched?: Watched): Promise<void>;

  /** The build that queries read; undefined if none was ever activated. */
  abstract active(projection: string): Promise<string | undefined>;

  /**
   * Switches queries to this build, atomically. Other builds remain until they are discarded. Indexes of the build that
   * are no longer declared are dropped, at the latest now.
   */
  abstract activate(build: Build, collections: Projection['collections']): Promise<void>;

  /** Removes a build and its checkpoint; rejects for the active one. Idempotent. */
  abstract discard(build: Build, collections: Projection['collections']): Promise<void>;

  /** All builds that have collections or a checkpoint. */
  abstract builds(projection: string): Promise<readonly string[]>;

  /** The builds that follow the log under this name; undefined if none ever did. */
  abstract shared(area: string): Promise<Shared | undefined>;

  /**
   * Replaces the generation of an area: in one step, these builds get a common checkpoint at `at`, and a writer of the
   * former generation can no longer move its checkpoint. The builds must have processed the log up to `at`. Former
   * members that no longer take part must have left.
   * @throws CheckpointMoved when the former generation is not the current one or is not at `at`
   */
  abstract share(next: Build, former: string | undefined, at: number, members: readonly Build[]): Promise<void>;

  /** Gives a build its own checkpoint, at the position of the shared one. Does nothing if it shares none. */
  abstract leave(build: Build): Promise<void>;

  /** The log position that a build has processed, alone or with others; -1 for a new one. */
  abstract checkpoint(build: Build): Promise<number>;

  /** This build's documents with these ids; ids without a document are left out. */
  abstract load(build: Build, collection: string, ids: readonly string[]): Promise<ReadonlyMap<string, Held>>;

  /**
   * Writes documents in the given order, of the build or of those that share its checkpoint, and moves the checkpoint
   * from `expected` to `checkpoint`, in one transaction. Rejects ids that are not well-formed Unicode. On MongoDB it
   * may have succeeded although it rejects with ReadStoreUnavailable; then the same store accepts a batch from
   * `expected` again, made from documents that were loaded anew. @throws CheckpointMoved, ReadStoreUnavailable
   */
  abstract commit(build: Build, expected: number, checkpoint: number, writes: readonly Write[]): Promise<void>;

  /** See `EventStore.version`. */
  version(): number | undefined {
    return undefined;
  }

  /** A reader is waiting: flush batched commits now. */
  flushSoon(): void {}

  /** SHA-256 (hex) over all documents of a build, ordered by collection and id, keys sorted, without positions. */
  abstract digest(build: Build, collections: Projection['collections']): Promise<string>;

  /**
   * One document of the active build, of any workspace: callers must check `workspaceId` (or use `Reads`).
   * @param includes the log position that suffices the caller. Default: everything that was recorded before the call.
   */
  abstract get<D extends Document>(collection: string, id: string, includes?: number): Promise<D | undefined>;

  /** Documents of the active build. Fields without a declared index are allowed but slow. */
  abstract find<D extends Document>(collection: string, query: Query): Promise<readonly D[]>;

  abstract count(collection: string, where: Where, counting?: Counting): Promise<number>;

  /** One row per group of documents of the active build, computed by the store. */
  abstract groups(collection: string, report: Report): Promise<readonly Group[]>;

  /** Whether it can be read and written now; rejects with the reason. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}
