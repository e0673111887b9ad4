import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type EnvVar, envVars } from './env-var.record.js';

/** Must never be part of a log, event, error or answer. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
  /**
   * A host must match one of these patterns and also the function's own list. If `allowedHosts` is empty, the secret is
   * never sent.
   */
  readonly allowedHosts: readonly string[];
}

@Injectable()
export class SecretValues {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: RecordedSecrets,
    private readonly reads: Reads,
  ) {}

  /**
   * Opens secrets by name and omits unknown names. Every call reads the log and the vault, so the result never contains
   * a replaced or deleted value. Value and hosts always belong together, even during a replacement.
   * @throws VaultUnavailable, VaultSealBroken, EventStoreUnavailable
   */
  async open(workspaceId: string, names: readonly string[]): Promise<ReadonlyMap<string, SecretValue>> {
    const opened = await Promise.all([...new Set(names)].map((name) => this.openOne(workspaceId, name)));
    return new Map(opened.flatMap((secret) => (secret === undefined ? [] : [[secret.name, secret]])));
  }

  /** @throws VaultUnavailable, VaultSealBroken, EventStoreUnavailable */
  async allValues(workspaceId: string): Promise<readonly string[]> {
    const names = (await this.all(workspaceId)).map(({ name }) => name);
    return [...(await this.open(workspaceId, names)).values()].map(({ value }) => value);
  }

  /** A secret gets a new value id each time it is set. Decrypts nothing. */
  async valueIds(workspaceId: string): Promise<readonly string[]> {
    return (await this.all(workspaceId)).map(({ valueId }) => valueId);
  }

  private all(workspaceId: string): Promise<readonly EnvVar[]> {
    return this.reads.find<EnvVar>(workspaceId, 'envVars', { sort: [['name', 'asc']] });
  }

  /** Decrypts nothing. */
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
