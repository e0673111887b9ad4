/** The sealed bytes cannot be opened: they were sealed under another master key, or were changed. */
export class VaultSealBroken extends Error {}

export class VaultUnavailable extends Error {}

export interface SealOptions {
  /** Milliseconds since 1970; afterwards it is as if it had never been there. Default: kept until destroyed. */
  readonly expiresAt?: number;
  /** Seal only when nothing is held under the name. */
  readonly ifAbsent?: boolean;
}

export interface DestroyOptions {
  /**
   * It may wait a moment for others to share its cost with, and what is asked for after it may be done before it: for
   * a name that is not used again. Default: no.
   */
  readonly patient?: boolean;
}

/** An entry as it lies there: nothing of its value is in the clear, and only the same master key opens it. */
export interface SealedEntry {
  readonly name: string;
  readonly sealedKey: Uint8Array;
  readonly sealedValue: Uint8Array;
  /** Milliseconds since 1970; left out: kept until destroyed. */
  readonly expiresAt?: number;
}

/**
 * Whose an entry is. What belongs to a workspace is named `<kind>/<workspaceId>/<id>`; a name of two parts, such as a
 * receipt's, does not say.
 */
export function workspaceOfEntry(name: string): string | undefined {
  const [, workspaceId, id] = name.split('/', 3);
  return id === undefined ? undefined : workspaceId;
}

/**
 * What must never stand in the log: secrets, tokens, inputs and answers that hold them. Every entry has a data key of
 * its own (AES-256-GCM), which is itself sealed under the master key; the entry's name is authenticated with it, so
 * that entries cannot be swapped. Destroying an entry destroys its data key.
 */
export abstract class Vault {
  /** Durable when it resolves. Replaces what was there, in one step; with `ifAbsent` answers false and changes nothing. */
  abstract seal(name: string, value: Uint8Array, options?: SealOptions): Promise<boolean>;

  /** Takes an entry's end away, in one step: it is held until it is destroyed. Answers whether it is there. */
  abstract keep(name: string): Promise<boolean>;

  /** @throws VaultSealBroken */
  abstract open(name: string): Promise<Uint8Array | undefined>;

  /** Gone from the files when it resolves. May be repeated. */
  abstract destroy(name: string, options?: DestroyOptions): Promise<void>;

  /**
   * Every entry that has not expired, by name (the bytes of its UTF-8), to be carried elsewhere; a few at a time in
   * memory. What is sealed or destroyed meanwhile shows or does not. @throws VaultUnavailable
   */
  abstract sealedEntries(): AsyncIterable<SealedEntry>;

  /**
   * Puts an entry of another vault in the place of what was there, sealed as it is. Durable when it resolves; may be
   * repeated. What this vault could not open is not put. @throws VaultSealBroken, VaultUnavailable
   */
  abstract putSealed(entry: SealedEntry): Promise<void>;

  /** Takes expired entries away; answers how many. */
  abstract sweep(): Promise<number>;

  /** A token that only this installation can make, the same for the same text: 192 bits, URL-safe. */
  abstract derive(text: string): string;

  /** Whether it can be read and written now; rejects with the reason. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}
