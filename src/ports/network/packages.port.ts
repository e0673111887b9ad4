import type { JsonObject } from '../../kernel/json/json.js';

export interface ResolvedPackage {
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** Digest of the archive in npm's format: `sha512-…`. */
  readonly integrity: string;
}

/** The packages could not be fetched now. Archives that were already stored are complete. */
export class RegistryUnavailable extends Error {}

/** The dependencies cannot be resolved, and a retry would not help. The message is a sentence for the caller. */
export class PackagesUnresolvable extends Error {}

export interface PackagesRequest {
  readonly workspaceId: string;
  readonly dependencies: JsonObject;
  /** Receives each archive once, one at a time, after its integrity was verified. */
  readonly store: (integrity: string, archive: Uint8Array) => Promise<void>;
}

/** Resolves and downloads packages. No code of a package is run. */
export abstract class Packages {
  /**
   * Only a few calls run concurrently. Workspaces take turns, and each may have one waiting call.
   * @throws RegistryUnavailable, also if too many calls wait; PackagesUnresolvable
   */
  abstract fetch(request: PackagesRequest): Promise<readonly ResolvedPackage[]>;

  abstract close(): Promise<void>;
}
