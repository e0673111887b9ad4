import { Injectable } from '@nestjs/common';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Clock } from '../../../ports/clock.port.js';
import { isGuessable } from '../../../secret-text/hiding/guessable.js';
import { Redactor } from '../../../secret-text/hiding/redactor.js';
import { envVars } from '../../secrets/env-var/env-var.record.js';
import { SecretValues } from '../../secrets/env-var/secret-values.api.js';
import { siteEnvVars } from '../../sites/env-var/site-env-var.record.js';
import { SiteVariables } from '../../sites/env-var/site-variables.api.js';

interface Kept {
  readonly version: string;
  readonly redactor: Promise<Redactor>;
  usedAt: number;
}

/** A redactor, and the values in it, leave memory this long after their last use. */
const keptMs = 60_000;
/** How many workspaces' redactors are kept. Each takes about 20 KB per secret of usual length. */
const mostKept = 100;

/**
 * Makes the redactors that hide all secrets of a workspace. They apply also to runs that use no secrets, because such a
 * run can receive one as a parameter or read it where another run stored it. A redactor is kept until the secrets
 * change, so that runs need not open the vault. Guessable values are left out: hiding them in every run would confirm
 * each right guess.
 */
@Injectable()
export class WorkspaceRedactors {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly values: SecretValues,
    private readonly variables: SiteVariables,
    private readonly clock: Clock,
    secrets: RecordedSecrets,
  ) {
    for (const kind of [envVars, siteEnvVars]) secrets.beforeChange(kind, (workspaceId) => this.forget(workspaceId));
  }

  /** @throws VaultUnavailable, EventStoreUnavailable */
  async of(workspaceId: string): Promise<Redactor> {
    const version = await this.versionOf(workspaceId);
    const known = this.kept.get(workspaceId);
    if (known?.version === version) {
      known.usedAt = this.clock.now();
      return known.redactor;
    }
    this.forget(workspaceId);
    if (version === '') return nothing;
    const made: Kept = { version, redactor: this.make(workspaceId), usedAt: this.clock.now() };
    this.kept.set(workspaceId, made);
    for (const oldest of this.kept.keys()) if (this.kept.size > mostKept) this.forget(oldest);
    this.forgetUnused(workspaceId, made);
    return made.redactor;
  }

  /** Changes whenever a secret of the workspace or of a site is set, replaced or deleted. Empty: there is none. */
  private async versionOf(workspaceId: string): Promise<string> {
    const [own, ofSites] = await Promise.all([
      this.values.valueIds(workspaceId),
      this.variables.secretValueIds(workspaceId),
    ]);
    return [...own, ...ofSites].join();
  }

  /** At once, also when a value of the workspace is destroyed. */
  private forget(workspaceId: string): void {
    this.kept.delete(workspaceId);
  }

  private async make(workspaceId: string): Promise<Redactor> {
    try {
      const all = await Promise.all([this.values.allValues(workspaceId), this.variables.allSecretValues(workspaceId)]);
      return new Redactor(all.flat().filter((value) => !isGuessable(value)));
    } catch (error) {
      this.forget(workspaceId);
      throw error;
    }
  }

  private forgetUnused(workspaceId: string, made: Kept): void {
    this.clock.after(keptMs, () => {
      if (this.kept.get(workspaceId) !== made) return;
      if (this.clock.now() - made.usedAt >= keptMs) this.forget(workspaceId);
      else this.forgetUnused(workspaceId, made);
    });
  }
}

const nothing = new Redactor([]);
