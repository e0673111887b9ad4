/** A decrypted secret. It must never reach a log, an event, an error or an answer. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
  /** The secret's own host patterns, which apply in addition to a function's list; none: it is never sent anywhere. */
  readonly allowedHosts: readonly string[];
}

/** The secrets of a workspace, for filling markers, checking signatures and hiding values. */
export abstract class SecretValues {
  /**
   * By name, as recorded now; unknown names are left out. Every call reads the vault again, so that a secret deleted or
   * replaced before the call is never returned. Value and hosts always belong together, even during a replacement.
   * @throws VaultUnavailable, VaultSealBroken, EventStoreUnavailable
   */
  abstract open(workspaceId: string, names: readonly string[]): Promise<ReadonlyMap<string, SecretValue>>;

  /** All of a workspace, as recorded now. @throws VaultUnavailable, VaultSealBroken, EventStoreUnavailable */
  abstract openAll(workspaceId: string): Promise<ReadonlyMap<string, SecretValue>>;

  /** Changes whenever a secret of the workspace is set, replaced or deleted; empty: it has none. Decrypts nothing. */
  abstract version(workspaceId: string): Promise<string>;

  /** Whether a secret has this name now. Decrypts nothing. */
  abstract has(workspaceId: string, name: string): Promise<boolean>;
}
