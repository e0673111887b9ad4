import type { Document, Projection, Where } from '../kernel/projection.js';

export interface Query {
  readonly where: Where;
  /** Default: by id, ascending. Ties are broken by id, in the direction of the last field. */
  readonly sort?: readonly (readonly [field: string, direction: 'asc' | 'desc'])[];
  readonly limit?: number;
  /** Only what comes after this document in the sort order: the values of the sort fields, then its id. */
  readonly after?: readonly (string | number | boolean | null)[];
}

/** A document with the position of the last event that touched it. */
export interface Held {
  readonly document: Document;
  readonly position: number;
}

export type Write =
  | { readonly kind: 'put'; readonly collection: string; readonly document: Document; readonly position: number }
  | { readonly kind: 'remove'; readonly collection: string; readonly id: string }
  | { readonly kind: 'removeWhere'; readonly collection: string; readonly where: Where };

/** One build of one projection. Several can stand side by side; queries see the active one. */
export interface Build {
  readonly projection: string;
  /** Letters, digits and underscores; e.g. `v1_0`. */
  readonly generation: string;
}

/** Another writer has moved this build's checkpoint: this one is no longer in charge of it. Nothing was written. */
export class CheckpointMoved extends Error {}

/** The store cannot be reached or written now. */
export class ReadStoreUnavailable extends Error {}

/**
 * Documents made from events, to be listed and found. Nothing here is the truth: everything can be built again.
 * Queries read the active build; the projection runner names the build it works on.
 */
export abstract class ReadStore {
  /** Makes room for a build: its collections and declared indexes. May be repeated. Does not activate it. */
  abstract prepare(build: Build, collections: Projection['collections']): Promise<void>;

  /** The build that queries read, or undefined when none was ever activated. */
  abstract active(projection: string): Promise<string | undefined>;

  /** Makes queries read this build, from one moment to the next. Other builds stay until they are discarded. */
  abstract activate(build: Build, collections: Projection['collections']): Promise<void>;

  /** Removes a build and its checkpoint; the active one is refused. May be repeated. */
  abstract discard(build: Build, collections: Projection['collections']): Promise<void>;

  /** All builds that have room or a checkpoint. */
  abstract builds(projection: string): Promise<readonly string[]>;

  /** Position up to which a build has taken in the log; -1 for a new one. */
  abstract checkpoint(build: Build): Promise<number>;

  /** The documents of these ids as this build has them; those it has not are left out. */
  abstract load(build: Build, collection: string, ids: readonly string[]): Promise<ReadonlyMap<string, Held>>;

  /**
   * Writes documents in the order given and moves the checkpoint from `expected` to `checkpoint`. Embedded: in one
   * transaction. MongoDB: documents first, each guarded by its position, checkpoint last; a crash in between leaves
   * documents ahead of the checkpoint and the same batch, written again, changes nothing more.
   * @throws CheckpointMoved, ReadStoreUnavailable
   */
  abstract commit(build: Build, expected: number, checkpoint: number, writes: readonly Write[]): Promise<void>;

  /** Somebody waits for what is being committed. A store that lets commits wait to be written together stops waiting. */
  hurry(): void {}

  /** SHA-256 (hex) over all documents of a build, in the order of collection and id, keys sorted; not the positions. */
  abstract digest(build: Build, collections: Projection['collections']): Promise<string>;

  /** One document of the active build, of any workspace: callers compare `workspaceId` (or use `Reads`). */
  abstract get<D extends Document>(collection: string, id: string): Promise<D | undefined>;

  /** Documents of the active build. A field nobody declared an index for is allowed and slow. */
  abstract find<D extends Document>(collection: string, query: Query): Promise<readonly D[]>;

  abstract count(collection: string, where: Where): Promise<number>;

  /** Whether it can be read and written now; rejects with the reason. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}
