/** The sealed bytes cannot be opened: they were sealed under another master key, or were changed. */
export class VaultSealBroken extends Error {}

export class VaultUnavailable extends Error {}

export interface SealOptions {
  /** Milliseconds since 1970; afterwards it is as if it had never been there. Default: kept until destroyed. */
  readonly expiresAt?: number;
  /** Seal only when nothing is held under the name. */
  readonly ifAbsent?: boolean;
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

  /** May be repeated. */
  abstract destroy(name: string): Promise<void>;

  /** Takes expired entries away; answers how many. */
  abstract sweep(): Promise<number>;

  /** A token that only this installation can make, the same for the same text: 192 bits, URL-safe. */
  abstract derive(text: string): string;

  /** Whether it can be read and written now; rejects with the reason. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}
