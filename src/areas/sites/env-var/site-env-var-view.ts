import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { shown } from '../../../engine/operation/shown.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { openAsRecorded } from '../../secrets/env-var/secret-values.api.js';
import { SiteEnvVarRecord } from './site-env-var.operations.js';
import { type SiteEnvVar, siteEnvVars } from './site-env-var.record.js';

/** Variables as they are answered. */
@Injectable()
export class SiteEnvVarView {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: RecordedSecrets,
  ) {}

  /**
   * With the value of one that is no secret, which is looked up as it is recorded now: by then it may have become one.
   * Undefined when it was deleted meanwhile. @throws VaultUnavailable, VaultSealBroken
   */
  async of(envVar: SiteEnvVar): Promise<SiteEnvVarRecord | undefined> {
    if (envVar.isSecret) return shown(SiteEnvVarRecord, envVar);
    const { workspaceId, id } = envVar;
    const now = await openAsRecorded(this.secrets, siteEnvVars, workspaceId, () =>
      this.runner.find(siteEnvVars, workspaceId, id),
    );
    if (now === undefined) return undefined;
    const { recorded, value } = now;
    return shown(SiteEnvVarRecord, recorded.isSecret ? recorded : { ...recorded, value });
  }
}
