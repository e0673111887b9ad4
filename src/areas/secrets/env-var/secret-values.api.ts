import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { RecordedSecrets, type SecretKind } from '../../../engine/records/recorded-secrets.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type SiteEnvVar, siteEnvVars } from '../../sites/env-var/site-env-var.record.js';
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

  /**
   * The values of all secrets of a workspace and of its sites, for hiding them. @throws VaultUnavailable,
   * VaultSealBroken, EventStoreUnavailable
   */
  async allValues(workspaceId: string): Promise<readonly string[]> {
    const [own, ofSites] = await Promise.all([
      this.all(workspaceId).then((all) =>
        this.open(
          workspaceId,
          all.map(({ name }) => name),
        ),
      ),
      this.allOfSites(workspaceId).then((all) =>
        Promise.all(
          all.map(({ id }) =>
            openAsRecorded(this.secrets, siteEnvVars, workspaceId, () =>
              this.runner.find(siteEnvVars, workspaceId, id),
            ),
          ),
        ),
      ),
    ]);
    return [...own.values(), ...ofSites].flatMap((one) => (one === undefined ? [] : [one.value]));
  }

  /**
   * Changes whenever a secret of the workspace or of one of its sites is set, replaced or deleted, because every value
   * has its own id. Empty: there is none. Decrypts nothing.
   */
  async version(workspaceId: string): Promise<string> {
    const [own, ofSites] = await Promise.all([this.all(workspaceId), this.allOfSites(workspaceId)]);
    return [...own, ...ofSites].map(({ valueId }) => valueId).join();
  }

  private all(workspaceId: string): Promise<readonly EnvVar[]> {
    return this.reads.find<EnvVar>(workspaceId, 'envVars', { sort: [['name', 'asc']] });
  }

  private allOfSites(workspaceId: string): Promise<readonly SiteEnvVar[]> {
    return this.reads.find<SiteEnvVar>(workspaceId, 'siteEnvVars', {
      where: { isSecret: true },
      sort: [['id', 'asc']],
    });
  }

  /** Whether a secret has this name now. Decrypts nothing. */
  async has(workspaceId: string, name: string): Promise<boolean> {
    return (await this.runner.find(envVars, workspaceId, name)) !== undefined;
  }

  private async openOne(workspaceId: string, name: string): Promise<SecretValue | undefined> {
    const opened = await openAsRecorded(this.secrets, envVars, workspaceId, () =>
      this.runner.find(envVars, workspaceId, name),
    );
    return opened && { name, value: opened.value, allowedHosts: opened.recorded.allowedHosts };
  }
}

/**
 * The value of a secret with the record it belongs to; undefined when it is not there. A missing value was replaced after
 * its event was read, so by now the stream names another one.
 */
export async function openAsRecorded<Recorded extends { readonly valueId: string }>(
  secrets: RecordedSecrets,
  kind: SecretKind,
  workspaceId: string,
  find: () => Promise<Recorded | undefined>,
): Promise<{ readonly recorded: Recorded; readonly value: string } | undefined> {
  for (let gone: string | undefined; ; ) {
    const recorded = await find();
    if (recorded === undefined || recorded.valueId === gone) return undefined;
    const value = await secrets.open(kind, workspaceId, recorded.valueId);
    if (value !== undefined) return { recorded, value };
    gone = recorded.valueId;
  }
}
