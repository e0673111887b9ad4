import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { type SiteEnvVar, siteEnvVars } from './site-env-var.record.js';

export type ShownSiteEnvVar = SiteEnvVar & { readonly value?: string };

@Injectable()
export class SiteEnvVarView {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: RecordedSecrets,
  ) {}

  /**
   * The variable is read again, because it may have become a secret since it was listed. Returns undefined if it was
   * deleted.
   * @throws VaultUnavailable, VaultSealBroken
   */
  async of(envVar: SiteEnvVar): Promise<ShownSiteEnvVar | undefined> {
    if (envVar.isSecret) return envVar;
    const { workspaceId, id } = envVar;
    const now = await this.secrets.openCurrent(siteEnvVars, workspaceId, () =>
      this.runner.find(siteEnvVars, workspaceId, id),
    );
    if (now === undefined) return undefined;
    const { recorded, value } = now;
    return recorded.isSecret ? recorded : { ...recorded, value };
  }
}
