import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import { Reads } from '../../../engine/reads.js';
import { Vault } from '../../../ports/vault.port.js';
import { type EnvVar, envVars, envVarValueName } from './env-var.record.js';

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
    private readonly vault: Vault,
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

  /** All of a workspace, as recorded now. @throws VaultUnavailable, VaultSealBroken, EventStoreUnavailable */
  async openAll(workspaceId: string): Promise<ReadonlyMap<string, SecretValue>> {
    return this.open(
      workspaceId,
      (await this.all(workspaceId)).map(({ name }) => name),
    );
  }

  /**
   * Changes whenever a secret of the workspace is set, replaced or deleted, because every value has its own id. Empty:
   * it has none. Decrypts nothing.
   */
  async version(workspaceId: string): Promise<string> {
    return (await this.all(workspaceId)).map(({ valueId }) => valueId).join();
  }

  private all(workspaceId: string): Promise<readonly EnvVar[]> {
    return this.reads.find<EnvVar>(workspaceId, 'envVars', { sort: [['name', 'asc']] });
  }

  /** Whether a secret has this name now. Decrypts nothing. */
  async has(workspaceId: string, name: string): Promise<boolean> {
    return (await this.runner.find(envVars, workspaceId, name)) !== undefined;
  }

  private async openOne(workspaceId: string, name: string): Promise<SecretValue | undefined> {
    const opened = await openAsRecorded(this.vault, workspaceId, () => this.runner.find(envVars, workspaceId, name));
    return opened && { name, value: opened.value, allowedHosts: opened.recorded.allowedHosts };
  }
}

/**
 * The value of a secret with the record it belongs to; undefined when it is not there. A missing value was replaced after
 * its event was read, so by now the stream names another one.
 */
export async function openAsRecorded<Recorded extends { readonly valueId: string }>(
  vault: Vault,
  workspaceId: string,
  find: () => Promise<Recorded | undefined>,
): Promise<{ readonly recorded: Recorded; readonly value: string } | undefined> {
  for (let gone: string | undefined; ; ) {
    const recorded = await find();
    if (recorded === undefined || recorded.valueId === gone) return undefined;
    const value = await vault.open(envVarValueName(workspaceId, recorded.valueId));
    if (value !== undefined) return { recorded, value: Buffer.from(value).toString('utf8') };
    gone = recorded.valueId;
  }
}
