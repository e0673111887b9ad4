/** A secret, opened. It must reach no log, no event, no error and no answer. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
  /** The secret's own patterns of hosts, whatever a function's list says; none: it is never sent anywhere. */
  readonly allowedHosts: readonly string[];
}

/** The secrets of a workspace, for whoever fills markers, checks signatures and hides values. */
export abstract class SecretValues {
  /**
   * By name, as they are recorded now; names that no secret has are left out. Every call opens the vault anew: what was
   * deleted or replaced before it is not given out. Value and hosts belong together, also while they are replaced.
   * @throws VaultUnavailable, VaultSealBroken, EventStoreUnavailable
   */
  abstract open(workspaceId: string, names: readonly string[]): Promise<ReadonlyMap<string, SecretValue>>;

  /** All of a workspace, as they are recorded now. @throws VaultUnavailable, VaultSealBroken, EventStoreUnavailable */
  abstract openAll(workspaceId: string): Promise<ReadonlyMap<string, SecretValue>>;

  /** Another text whenever a secret of the workspace was set, replaced or deleted; empty: it has none. Opens nothing. */
  abstract version(workspaceId: string): Promise<string>;

  /** Whether a secret has this name now. Opens nothing. */
  abstract has(workspaceId: string, name: string): Promise<boolean>;
}
