import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type EnvVar, envVars } from './env-var.record.js';

/** A decrypted secret. It must never reach a log, an event, an error or an answer. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
  /** The secret's own host patterns, which apply in addition to a function's list; none: it is never sent anywhere. */
  readonly allowedHosts: readonly string[];
}

/**
 * The secrets of a workspace, for filling markers, checking signatures and hiding values.
 * They are found in the log, and their values in the vault.
 */
@Injectable()
export class SecretValues {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: RecordedSecrets,
    private readonly reads: Reads,
  ) {}

  /**
   * By name, as recorded now; unknown names are left out. Every call reads the vault again, so that a secret deleted or
   * replaced before the call is never returned. Value and hosts always belong together, even during a replacement.
   * @throws VaultUnavailable, VaultSealBroken, EventStoreUnavailable
   */
  async open(workspaceId: string, names: readonly string[]): Promise<ReadonlyMap<string, SecretValue>> {
    const opened = await Promise.all([...new Set(names)].map((name) => this.openOne(workspaceId, name)));
    return new Map(opened.flatMap((secret) => (secret === undefined ? [] : [[secret.name, secret]])));
  }

  /** The values of all secrets of the workspace, for hiding them. @throws as `open` */
  async allValues(workspaceId: string): Promise<readonly string[]> {
    const names = (await this.all(workspaceId)).map(({ name }) => name);
    return [...(await this.open(workspaceId, names)).values()].map(({ value }) => value);
  }

  /** The ids of all values: a secret that is set or replaced has a new one. Decrypts nothing. */
  async valueIds(workspaceId: string): Promise<readonly string[]> {
    return (await this.all(workspaceId)).map(({ valueId }) => valueId);
  }

  private all(workspaceId: string): Promise<readonly EnvVar[]> {
    return this.reads.find<EnvVar>(workspaceId, 'envVars', { sort: [['name', 'asc']] });
  }

  /** Whether a secret has this name now. Decrypts nothing. */
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
