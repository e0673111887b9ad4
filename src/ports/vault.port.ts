/** The sealed bytes cannot be opened: they were sealed under another master key, or were changed. */
export class VaultSealBroken extends Error {}

export class VaultUnavailable extends Error {}

export interface SealOptions {
  /** Milliseconds since 1970; afterwards the entry no longer exists. Default: retained until destroyed. */
  readonly expiresAt?: number;
  /** Seal only if the name has no entry. */
  readonly ifAbsent?: boolean;
}

/**
 * Retention of a draft: a value that is sealed before the event that refers to it is recorded. Longer than any call or
 * outage can take; afterwards nothing can refer to it any more.
 */
export const draftRetentionMs = 30 * 24 * 3_600_000;

export interface DestroyOptions {
  /**
   * The call may be delayed to be batched with others, and later calls may be done before it. Only for a name that is
   * never used again. Default: false.
   */
  readonly patient?: boolean;
}

/** An entry as stored: encrypted, and readable only with the same master key. */
export interface SealedEntry {
  readonly name: string;
  readonly sealedKey: Uint8Array;
  readonly sealedValue: Uint8Array;
  /** Milliseconds since 1970. Default: retained until destroyed. */
  readonly expiresAt?: number;
}

/**
 * The workspace of an entry. Entries of a workspace are named `<kind>/<workspaceId>/<id>`; a name of two parts, such as
 * that of an idempotency entry, has none.
 */
export function workspaceOfEntry(name: string): string | undefined {
  const [, workspaceId, id] = name.split('/', 3);
  return id === undefined ? undefined : workspaceId;
}

/**
 * For data that must never be in the log: secrets, tokens, and inputs and answers that contain them. Every entry has
 * its own data key (AES-256-GCM), which is sealed under the master key. The entry's name is authenticated with it, so
 * that entries cannot be swapped. Destroying an entry destroys its data key.
 */
export abstract class Vault {
  /** Durable when it resolves. Atomic. With `ifAbsent`, an existing entry is left unchanged and the result is false. */
  abstract seal(name: string, value: Uint8Array, options?: SealOptions): Promise<boolean>;

  /** Removes an entry's expiry atomically, so that it is retained until destroyed. Returns whether the entry exists. */
  abstract keep(name: string): Promise<boolean>;

  /** @throws VaultSealBroken */
  abstract open(name: string): Promise<Uint8Array | undefined>;

  /** Many entries at once, as stored, for threads that open them. Those that do not exist or have expired are left out. */
  abstract readSealed(names: readonly string[]): Promise<readonly SealedEntry[]>;

  /** Erased from the files when it resolves. Idempotent. */
  abstract destroy(name: string, options?: DestroyOptions): Promise<void>;

  /**
   * Every entry that has not expired, for export: in the order of names (bytes of their UTF-8), a few in memory at a
   * time. Entries sealed or destroyed meanwhile may or may not be included. @throws VaultUnavailable
   */
  abstract sealedEntries(): AsyncIterable<SealedEntry>;

  /**
   * Imports an entry of another vault in its sealed form, replacing any of that name. Durable when it resolves;
   * idempotent. An entry that this master key cannot open is not stored. @throws VaultSealBroken, VaultUnavailable
   */
  abstract putSealed(entry: SealedEntry): Promise<void>;

  /** Removes expired entries; returns how many. */
  abstract sweep(): Promise<number>;

  /** See `EventStore.version`. */
  version(): number | undefined {
    return undefined;
  }

  /** A token that only this installation can compute, always the same for the same text. 192 bits, URL-safe. */
  abstract derive(text: string): string;

  /** Whether it can be read and written now; rejects with the reason. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}
