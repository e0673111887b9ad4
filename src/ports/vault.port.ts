/** The sealed bytes cannot be opened: they were sealed with another master key, or were changed. */
export class VaultSealBroken extends Error {}

export class VaultUnavailable extends Error {}

export interface SealOptions {
  /** Time, in milliseconds since 1970, from which the entry no longer exists. Default: retained until destroyed. */
  readonly expiresAt?: number;
  readonly ifAbsent?: boolean;
}

/**
 * A value is sealed before the event that refers to it is recorded. If the event is never recorded, the value expires
 * after this time, which is longer than any call or outage can take.
 */
export const draftRetentionMs = 30 * 24 * 3_600_000;

export interface DestroyOptions {
  /**
   * Lets the vault delay the call to batch it with others. Later calls may then take effect first, so this is only for
   * names that are never used again. Default: false.
   */
  readonly patient?: boolean;
}

export interface SealedEntry {
  readonly name: string;
  readonly sealedKey: Uint8Array;
  readonly sealedValue: Uint8Array;
  readonly expiresAt?: number;
}

/**
 * Entries of a workspace are named `<kind>/<workspaceId>/<id>`. Returns undefined for a name of two parts, such as that
 * of an idempotency entry.
 */
export function workspaceOfEntry(name: string): string | undefined {
  const [, workspaceId, id] = name.split('/', 3);
  return id === undefined ? undefined : workspaceId;
}

/**
 * Data that must never be in the log: secrets, tokens, and inputs and responses that contain them. Every entry has a
 * data key of its own (AES-256-GCM), which is sealed with the master key. The entry's name is authenticated with both,
 * so that entries cannot be swapped. Destroying an entry destroys its data key.
 */
export abstract class Vault {
  /**
   * Atomic, and durable when the promise resolves. If `ifAbsent` is set and the entry exists, leaves the entry
   * unchanged and returns false.
   */
  abstract seal(name: string, value: Uint8Array, options?: SealOptions): Promise<boolean>;

  /** Removes an entry's expiry atomically. Returns whether the entry exists. */
  abstract makePermanent(name: string): Promise<boolean>;

  /** Returns undefined if the entry does not exist or has expired. @throws VaultSealBroken */
  abstract open(name: string): Promise<Uint8Array | undefined>;

  /**
   * Returns entries still encrypted, so that other threads can open them. Entries that do not exist or have expired are
   * left out.
   */
  abstract readSealed(names: readonly string[]): Promise<readonly SealedEntry[]>;

  /** When the promise resolves, the entry is erased from the files. Idempotent. */
  abstract destroy(name: string, options?: DestroyOptions): Promise<void>;

  /**
   * For export: every entry that has not expired, ordered by name (bytes of its UTF-8), with a few in memory at a time.
   * Entries sealed or destroyed during the export may or may not be included.
   * @throws VaultUnavailable
   */
  abstract sealedEntries(): AsyncIterable<SealedEntry>;

  /**
   * Imports an entry of another vault in sealed form, replacing any with the same name. Durable when the promise
   * resolves. Idempotent. An entry that this master key cannot open is not stored.
   * @throws VaultSealBroken, VaultUnavailable
   */
  abstract putSealed(entry: SealedEntry): Promise<void>;

  abstract sweep(): Promise<number>;

  /** Returns a number that increases with every write, as `EventStore.version` does. */
  version(): number | undefined {
    return undefined;
  }

  /**
   * Returns a token of 192 bits, URL-safe, that only this installation can compute. The same text always gives the same
   * token.
   */
  abstract derive(text: string): string;

  /** Rejects with the reason if the vault cannot be read and written now. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}
