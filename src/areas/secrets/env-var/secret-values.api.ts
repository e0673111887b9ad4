import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type EnvVar, envVars } from './env-var.record.js';

/** A decrypted secret. It must never be part of a log, event, error or answer. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
  /**
   * Host patterns of the secret itself, which apply in addition to a function's list. If empty, the secret is never
   * sent.
   */
  readonly allowedHosts: readonly string[];
}

/**
 * Opens the secrets of a workspace, in order to insert them into outgoing requests, verify signatures and hide values.
 * Names come from the log, values from the vault.
 */
@Injectable()
export class SecretValues {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: RecordedSecrets,
    private readonly reads: Reads,
  ) {}

  /**
   * Opens secrets by name. Unknown names are omitted. Every call reads the log and the vault, so it never returns a
   * value that was replaced or deleted earlier. Value and hosts always belong together, even during a replacement.
   * @throws VaultUnavailable, VaultSealBroken, EventStoreUnavailable
   */
  async open(workspaceId: string, names: readonly string[]): Promise<ReadonlyMap<string, SecretValue>> {
    const opened = await Promise.all([...new Set(names)].map((name) => this.openOne(workspaceId, name)));
    return new Map(opened.flatMap((secret) => (secret === undefined ? [] : [[secret.name, secret]])));
  }

  /**
   * Returns the values of all secrets of the workspace, for hiding them.
   * @throws as `open`
   */
  async allValues(workspaceId: string): Promise<readonly string[]> {
    const names = (await this.all(workspaceId)).map(({ name }) => name);
    return [...(await this.open(workspaceId, names)).values()].map(({ value }) => value);
  }

  /** Returns the ids of all values. A secret's value gets a new id each time it is set. Decrypts nothing. */
  async valueIds(workspaceId: string): Promise<readonly string[]> {
    return (await this.all(workspaceId)).map(({ valueId }) => valueId);
  }

  private all(workspaceId: string): Promise<readonly EnvVar[]> {
    return this.reads.find<EnvVar>(workspaceId, 'envVars', { sort: [['name', 'asc']] });
  }

  /** Whether a secret with this name exists now. Decrypts nothing. */
  async has(workspaceId: string, name: string): Promise<boolean> {
    return (await this.runner.find(envVars, workspaceId, name)) !== undefined;
  }

  private async openOne(workspaceId: string, name: string): Promise<SecretValue | undefined> {
    const opened = await this.secrets.openCurrent(envVars, workspaceId, () =>
      this.runner.find(envVars, workspaceId, name),
    );
    return opened && { name, value: opened.value, allowedHosts: opened.recorded.allowedHosts };
  }
}
