import type { JsonObject } from '../../kernel/json/json.js';

export interface ResolvedPackage {
  /** Folder of the package: `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** Integrity of the archive: `sha512-…`. */
  readonly integrity: string;
}

/** The registry cannot be reached or responds with errors. Only complete archives were stored. */
export class RegistryUnavailable extends Error {}

/** The packages cannot be resolved, and a retry would not help. The message is a sentence for the caller. */
export class PackagesUnresolvable extends Error {}

export interface PackagesWanted {
  readonly workspaceId: string;
  readonly dependencies: JsonObject;
  /** Receives each archive once, verified against its integrity, one at a time. */
  readonly store: (integrity: string, archive: Uint8Array) => Promise<void>;
}

/** Resolves npm packages and fetches their archives. Code of packages never runs. */
export abstract class Packages {
  /**
   * Resolves and fetches packages. Only a few calls run concurrently. Workspaces take turns, and one call of each may
   * wait.
   * @throws RegistryUnavailable, also if too many wait; PackagesUnresolvable
   */
  abstract fetch(request: PackagesWanted): Promise<readonly ResolvedPackage[]>;

  /** Ends the calls in progress. */
  abstract close(): Promise<void>;
}
