import type { Change, Document, Projection, Where } from '../kernel/record/projection.js';
import type { Filter, Search } from '../kernel/rows/row-filter.js';
import type { Sort } from '../kernel/rows/row-order.js';
import type { Group, Grouping } from '../kernel/rows/row-report.js';

/** What a query keeps of the documents of its `where`. */
export interface Narrowing {
  readonly filter?: Filter | undefined;
  readonly search?: Search | undefined;
  /** The site whose visitor made the query up. Left out: a member of the workspace did, or its code. */
  readonly visitedSite?: string | undefined;
}

/** Of queries that customers make up: those with a filter, a search or `missing`, counts of rows, and all reports. */
export interface LaneLimits {
  /** How long a query may take once its turn has come. */
  readonly deadlineMs: number;
  /** How long a query may wait for its turn. */
  readonly waitMs: number;
  /** How many queries of a workspace's members, or of one site's visitors, may wait. */
  readonly waiting: number;
}

/** Visitors' queries are in a lane of their own. */
export type Lanes = Readonly<Record<'members' | 'visitors', LaneLimits>>;

/** A table of a million rows is gone through in a few seconds, and on a busy machine in some more. */
export const laneLimits: Lanes = {
  members: { deadlineMs: 15_000, waitMs: 15_000, waiting: 100 },
  visitors: { deadlineMs: 2_000, waitMs: 2_000, waiting: 20 },
};

export interface Counting extends Narrowing {
  /** Counts no further than this. Default: all. */
  readonly most?: number | undefined;
}

export interface Query extends Narrowing {
  readonly where: Where;
  /** Default: by id, ascending. Ties are ordered by id, in the direction of the last field. */
  readonly sort?: Sort;
  /** Absent and null come last in both directions. Left out: first when ascending, last when descending. */
  readonly missing?: 'last';
  readonly limit?: number;
  /** Leaves out so many from the beginning, which costs a step each. Not with `after` or `missing`, nor for rows of tables. */
  readonly skip?: number;
  /** Only documents after this one in the sort order: the values of its sort fields, then its id. */
  readonly after?: readonly (string | number | boolean | null)[];
}

export interface Report extends Narrowing, Grouping {
  readonly where: Where;
}

/** A document with the position of the last event that touched it. */
export interface Held {
  readonly document: Document;
  readonly position: number;
}

/**
 * `erases`: what is removed was personal and in the clear, and must soon be in none of the store's own files. Embedded:
 * within a second or so. MongoDB: its files and its oplog keep removed documents until it reuses their room.
 */
export type Write =
  | {
      readonly kind: 'put';
      readonly collection: string;
      readonly document: Document;
      readonly position: number;
      /** Where the document stood that this was made from, or null where there was none; absent: it was not looked at. */
      readonly over?: number | null;
    }
  | { readonly kind: 'remove'; readonly collection: string; readonly id: string; readonly erases?: true }
  | (Extract<Change, { kind: 'removeWhere' }> & { readonly erases?: true })
  | Extract<Change, { kind: 'index' | 'dropIndex' }>;

/** One build of one projection. There may be several; queries see the active one. */
export interface Build {
  readonly projection: string;
  /** Letters, digits and underscores; e.g. `v1_0`. */
  readonly generation: string;
}

/** Builds that follow the log together. Their one checkpoint is kept under the name of an area. */
export interface Shared {
  /** Of the shared checkpoint, which is a build without collections of its own. */
  readonly generation: string;
  readonly checkpoint: number;
  /** From a projection to the generation that takes part. */
  readonly members: ReadonlyMap<string, string>;
}

/** Of work that may take very long, such as an index over millions of documents. */
export interface Watched {
  /** Gets a sentence about it every now and then. */
  readonly told?: (sentence: string) => void;
  /** Aborted: the work is not waited for any longer, and rejects. */
  readonly stopping?: AbortSignal;
}

/** Another writer has moved this build's checkpoint, so this writer has lost the build. Nothing was written. */
export class CheckpointMoved extends Error {}

/** The store cannot be reached or written now. */
export class ReadStoreUnavailable extends Error {}

/** A query took longer than its lane allows, or too much memory. Nothing comes of asking the same again. */
export class QueryGivenUp extends Error {}

/** More queries of the workspace are waiting than its lane allows, or this one waited too long. It may be asked again. */
export class QueriesTaken extends Error {}

/**
 * Documents made from events, for queries. The log is the source of truth: everything here can be rebuilt from it.
 * Queries read the active build; the projection runner names the build it works on.
 *
 * Queries that customers make up end within the limits of their lane, else they reject with QueryGivenUp or QueriesTaken.
 * A member's never waits for a visitor's of the same workspace, and one workspace's never keep others' waiting for long;
 * embedded, a query that takes some milliseconds waits for none that takes longer.
 */
export abstract class ReadStore {
  /**
   * Creates the collections and declared indexes of a build, and waits until the indexes are there. May be repeated. Does
   * not activate it.
   */
  abstract prepare(build: Build, collections: Projection['collections'], watched?: Watched): Promise<void>;

  /** The build that queries read, or undefined when none was ever activated. */
  abstract active(projection: string): Promise<string | undefined>;

  /**
   * Switches queries to this build, atomically. Other builds stay until they are discarded. Those indexes of it that
   * are not declared any more are dropped, at the latest now.
   */
  abstract activate(build: Build, collections: Projection['collections']): Promise<void>;

  /** Removes a build and its checkpoint; rejects for the active one. May be repeated. */
  abstract discard(build: Build, collections: Projection['collections']): Promise<void>;

  /** All builds that have collections or a checkpoint. */
  abstract builds(projection: string): Promise<readonly string[]>;

  /** The builds that follow the log under this name; undefined when none ever did. */
  abstract shared(area: string): Promise<Shared | undefined>;

  /**
   * Begins a generation of an area in the place of the former one: in one step, these builds have one checkpoint, which
   * stands at `at`, and whoever still writes the former generation cannot move its checkpoint any more. The builds must
   * have processed the log up to `at`. Others that took part before must have left.
   * @throws CheckpointMoved when the former generation is not the current one or does not stand at `at`
   */
  abstract share(next: Build, former: string | undefined, at: number, members: readonly Build[]): Promise<void>;

  /** Gives a build a checkpoint of its own, where the shared one stands. Nothing happens if it shares none. */
  abstract leave(build: Build): Promise<void>;

  /** The log position that a build has processed, alone or with others; -1 for a new one. */
  abstract checkpoint(build: Build): Promise<number>;

  /** This build's documents with these ids; ids without a document are left out. */
  abstract load(build: Build, collection: string, ids: readonly string[]): Promise<ReadonlyMap<string, Held>>;

  /**
   * Ids are well-formed Unicode, else it rejects. Writes documents in the order given, of the build or of those that share
   * its checkpoint, and moves the checkpoint from `expected` to `checkpoint`, in one
   * transaction. On MongoDB it may have been done although it rejects with ReadStoreUnavailable; then the same store takes
   * a batch from `expected` again, made from documents that were loaded anew.
   * @throws CheckpointMoved, ReadStoreUnavailable
   */
  abstract commit(build: Build, expected: number, checkpoint: number, writes: readonly Write[]): Promise<void>;

  /** As that of `EventStore`. */
  version(): number | undefined {
    return undefined;
  }

  /** A reader is waiting: flush batched commits now. */
  flushSoon(): void {}

  /** SHA-256 (hex) over all documents of a build, ordered by collection and id, keys sorted; positions left out. */
  abstract digest(build: Build, collections: Projection['collections']): Promise<string>;

  /** One document of the active build, of any workspace: callers must check `workspaceId` (or use `Reads`). */
  abstract get<D extends Document>(collection: string, id: string): Promise<D | undefined>;

  /** Documents of the active build. Fields without a declared index are allowed but slow. */
  abstract find<D extends Document>(collection: string, query: Query): Promise<readonly D[]>;

  abstract count(collection: string, where: Where, counting?: Counting): Promise<number>;

  /** One row for every group of documents of the active build, made by the store. */
  abstract groups(collection: string, report: Report): Promise<readonly Group[]>;

  /** Whether it can be read and written now; rejects with the reason. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}
