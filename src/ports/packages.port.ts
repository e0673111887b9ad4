import type { JsonObject } from '../kernel/json/json.js';

export interface ResolvedPackage {
  /** Where it stands: `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** `sha512-…` of its archive. */
  readonly integrity: string;
}

/** The registry cannot be reached, or answers with errors. Nothing was stored that is not whole. */
export class RegistryUnavailable extends Error {}

/** The set cannot be resolved, whenever it is tried. The message is a sentence for the caller. */
export class PackagesUnresolvable extends Error {}

export interface PackagesWanted {
  readonly workspaceId: string;
  readonly dependencies: JsonObject;
  /** Gets each archive once, checked against its integrity, one after the other. */
  readonly store: (integrity: string, archive: Uint8Array) => Promise<void>;
}

/** Resolves npm packages and fetches their archives. No code of a package ever runs. */
export abstract class Packages {
  /**
   * Few at a time: workspaces take turns, and one fetch of each may wait. @throws RegistryUnavailable, also where too many
   * wait; PackagesUnresolvable
   */
  abstract fetch(wanted: PackagesWanted): Promise<readonly ResolvedPackage[]>;

  /** Ends what is under way. */
  abstract close(): Promise<void>;
}
