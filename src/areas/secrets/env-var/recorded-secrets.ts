import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import { Reads } from '../../../engine/reads.js';
import { type SecretValue, SecretValues } from '../../../ports/secret-values.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { type EnvVar, envVars, envVarValueName } from './env-var.record.js';

/** Secrets from the log, with their values from the vault. */
@Injectable()
export class RecordedSecrets extends SecretValues {
  constructor(
    private readonly runner: CommandRunner,
    private readonly vault: Vault,
    private readonly reads: Reads,
  ) {
    super();
  }

  override async open(workspaceId: string, names: readonly string[]): Promise<ReadonlyMap<string, SecretValue>> {
    const opened = await Promise.all([...new Set(names)].map((name) => this.openOne(workspaceId, name)));
    return new Map(opened.flatMap((secret) => (secret === undefined ? [] : [[secret.name, secret]])));
  }

  override async openAll(workspaceId: string): Promise<ReadonlyMap<string, SecretValue>> {
    return this.open(
      workspaceId,
      (await this.all(workspaceId)).map(({ name }) => name),
    );
  }

  /** Every value has its own id. */
  override async version(workspaceId: string): Promise<string> {
    return (await this.all(workspaceId)).map(({ valueId }) => valueId).join();
  }

  private all(workspaceId: string): Promise<readonly EnvVar[]> {
    return this.reads.find<EnvVar>(workspaceId, 'envVars', { sort: [['name', 'asc']] });
  }

  override async has(workspaceId: string, name: string): Promise<boolean> {
    return (await this.runner.find(envVars, workspaceId, name)) !== undefined;
  }

  /** A missing value was replaced after its event was read, so by now the stream names another one. */
  private async openOne(workspaceId: string, name: string): Promise<SecretValue | undefined> {
    for (let gone: string | undefined; ; ) {
      const recorded = await this.runner.find(envVars, workspaceId, name);
      if (recorded === undefined || recorded.valueId === gone) return undefined;
      const { valueId, allowedHosts } = recorded;
      const value = await this.vault.open(envVarValueName(workspaceId, valueId));
      if (value !== undefined) return { name, value: Buffer.from(value).toString('utf8'), allowedHosts };
      gone = valueId;
    }
  }
}
