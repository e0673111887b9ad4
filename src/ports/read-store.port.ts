import type { Collection, Document, DocumentChange, Index, Projection, Where } from '../kernel/record/projection.js';
import type { Filter, Search } from '../kernel/rows/row-filter.js';
import type { Sort } from '../kernel/rows/row-order.js';
import type { Group, Grouping } from '../kernel/rows/row-report.js';

export interface Narrowing {
  readonly filter?: Filter | undefined;
  readonly search?: Search | undefined;
  /**
   * Id of the site whose visitor composed the query. Omitted if a member of the workspace, or its code, composed it.
   */
  readonly visitedSite?: string | undefined;
}

/**
 * Limits of customers' queries. They apply to queries with a filter, a search or `missing`, to counts of rows, and to
 * all reports.
 */
export interface QueryLimits {
  readonly deadlineMs: number;
  readonly waitMs: number;
  /** Maximum number of queries that wait: per workspace for its members, and per site for its visitors. */
  readonly waiting: number;
}

export type QueryLimitsByCaller = Readonly<Record<'members' | 'visitors', QueryLimits>>;

/** The deadlines allow a scan of a table of a million rows, which takes a few seconds, or more on a busy machine. */
export const queryLimits: QueryLimitsByCaller = {
  members: { deadlineMs: 15_000, waitMs: 15_000, waiting: 100 },
  visitors: { deadlineMs: 2_000, waitMs: 2_000, waiting: 20 },
};

export interface Counting extends Narrowing {
  readonly most?: number | undefined;
}

export interface Query extends Narrowing {
  readonly where: Where;
  /** Default: by id, ascending. Ties are ordered by id, in the direction of the last field. */
  readonly sort?: Sort;
  /**
   * Puts absent and null values last in both directions. By default they are first when ascending and last when
   * descending.
   */
  readonly missing?: 'last';
  readonly limit?: number;
  /**
   * Number of documents to skip. The cost grows with the number. Cannot be combined with `after` or `missing`, nor used
   * for rows of tables.
   */
  readonly skip?: number;
  /** Returns only documents after this point in the sort order: the values of the sort fields, and last the id. */
  readonly after?: readonly (string | number | boolean | null)[];
}

export interface Report extends Narrowing, Grouping {
  readonly where: Where;
}

export interface PositionedDocument {
  readonly document: Document;
  readonly position: number;
}

/**
 * A write to a build. `erases` means that the removed data was personal and not encrypted, and must soon be gone from
 * the store's own files. The embedded store erases it within about a second. MongoDB retains removed documents in its
 * files and oplog until the space is reused.
 */
export type Write =
  | {
      readonly kind: 'put';
      readonly collection: string;
      readonly document: Document;
      readonly position: number;
      /**
       * Log position of the stored document that this one replaces. Null if there was none. Omitted if the writer did
       * not load the document.
       */
      readonly over?: number | null;
    }
  | { readonly kind: 'remove'; readonly collection: string; readonly id: string; readonly erases?: true }
  | (Extract<DocumentChange, { kind: 'removeWhere' }> & { readonly erases?: true })
  | Extract<DocumentChange, { kind: 'index' | 'dropIndex' }>;

/** A projection may have several builds; queries use the active one. */
export interface Build {
  readonly projection: string;
  /**
   * Name of the build, which differs from those of the projection's other builds: letters, digits and underscores; e.g.
   * `v1_0`.
   */
  readonly generation: string;
}

/**
 * The builds of the projections of one area. They process the log together and share a checkpoint, which has the area's
 * name.
 */
export interface Shared {
  /** The store treats the shared checkpoint as a build without collections; this is the `generation` of that build. */
  readonly generation: string;
  readonly checkpoint: number;
  readonly members: ReadonlyMap<string, string>;
}

/** `later` are further indexes, which another call of `prepare` will declare. */
export interface PreparedCollection extends Collection {
  readonly later?: readonly Index[];
}

export type PreparedCollections = Readonly<Record<string, PreparedCollection>>;

export interface Watched {
  readonly report?: (sentence: string) => void;
  readonly stopping?: AbortSignal;
}

/** Another writer has taken over the build. Nothing was written. */
export class CheckpointMoved extends Error {}

export class ReadStoreUnavailable extends Error {}

/** The query took longer or used more memory than it may. Repeating it would not help. */
export class QueryGivenUp extends Error {}

/** Too many queries of the workspace are waiting, or this one waited too long. The query may be repeated. */
export class QueriesTaken extends Error {}

/**
 * Documents made from events, for queries. Everything here can be rebuilt from the log. Queries read the active build.
 * Customers' queries end within their limits, or reject with QueryGivenUp or QueriesTaken. A member's query never waits
 * for a visitor's query of the same workspace, and workspaces do not delay each other for long. In the embedded store,
 * a query that takes a few milliseconds does not wait for a longer one.
 */
export abstract class ReadStore {
  /**
   * Creates the collections of a build and their declared indexes. The indexes are complete when the promise resolves.
   * Idempotent.
   */
  abstract prepare(build: Build, collections: PreparedCollections, watched?: Watched): Promise<void>;

  abstract active(projection: string): Promise<string | undefined>;

  /**
   * Atomically makes queries read this build. Other builds remain until they are discarded. Drops indexes of the build
   * that are no longer declared, unless that was done before.
   */
  abstract activate(build: Build, collections: Projection['collections']): Promise<void>;

  /** Rejects for the active build. Idempotent. */
  abstract discard(build: Build, collections: Projection['collections']): Promise<void>;

  abstract builds(projection: string): Promise<readonly string[]>;

  abstract shared(area: string): Promise<Shared | undefined>;

  /**
   * Gives the builds in `members` a shared checkpoint at `at`. In the same step, the former shared checkpoint becomes
   * invalid for its writer. Before the call, each build in `members` must have processed the log up to `at`, and
   * `leave` must have been called for former members that are not in `members`.
   * @throws CheckpointMoved if `former` is not the current generation or its checkpoint is not at `at`
   */
  abstract share(next: Build, former: string | undefined, at: number, members: readonly Build[]): Promise<void>;

  /**
   * Gives a build a checkpoint of its own, at the position of the shared one. Does nothing if the build does not share
   * one.
   */
  abstract leave(build: Build): Promise<void>;

  /**
   * Returns the log position up to which a build is complete, whether its checkpoint is its own or shared. -1 for a new
   * build.
   */
  abstract checkpoint(build: Build): Promise<number>;

  /** Ids without a document are left out. */
  abstract load(
    build: Build,
    collection: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, PositionedDocument>>;

  /**
   * Writes documents in the given order and moves the checkpoint from `expected` to `checkpoint`, in one transaction.
   * The documents belong to the build or to builds that share its checkpoint. Rejects ids that are not well-formed
   * Unicode. On MongoDB, a commit that rejects with ReadStoreUnavailable may have succeeded. The caller may then load
   * the documents again and commit a batch made from them with the same `expected`, on the same store object.
   *
   * The caller may commit the next batch of a build before this one is written, with this `checkpoint` as its
   * `expected`. Batches are written in the order of the calls. If one fails, all later ones reject and write nothing.
   * @throws CheckpointMoved, ReadStoreUnavailable
   */
  abstract commit(build: Build, expected: number, checkpoint: number, writes: readonly Write[]): Promise<void>;

  /** Returns a number that increases with every write, as `EventStore.version` does. */
  version(): number | undefined {
    return undefined;
  }

  flushSoon(): void {}

  /**
   * Returns a SHA-256 (hex) over all documents of a build, ordered by collection and id, with sorted keys and without
   * positions.
   */
  abstract digest(build: Build, collections: Projection['collections']): Promise<string>;

  /**
   * Returns one document of the active build, of any workspace. Callers must check `workspaceId` (or use `Reads`).
   * @param includes log position up to which the document must include all events. Default: everything that was
   * recorded before the call.
   */
  abstract get<D extends Document>(collection: string, id: string, includes?: number): Promise<D | undefined>;

  /** Reads the active build. Fields without a declared index are allowed but slow. */
  abstract find<D extends Document>(collection: string, query: Query): Promise<readonly D[]>;

  abstract count(collection: string, where: Where, counting?: Counting): Promise<number>;

  abstract groups(collection: string, report: Report): Promise<readonly Group[]>;

  /** Rejects with the reason if the store cannot be read and written now. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}
