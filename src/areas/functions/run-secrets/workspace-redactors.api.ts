import { Injectable } from '@nestjs/common';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Clock } from '../../../ports/clock.port.js';
import { isGuessable } from '../../../secret-text/hiding/guessable.js';
import { Redactor } from '../../../secret-text/hiding/redactor.js';
import { envVars } from '../../secrets/env-var/env-var.record.js';
import { SecretValues } from '../../secrets/env-var/secret-values.api.js';
import { siteEnvVars } from '../../sites/env-var/site-env-var.record.js';
import { SiteVariables } from '../../sites/env-var/site-variables.api.js';

interface CachedRedactor {
  readonly version: string;
  readonly redactor: Promise<Redactor>;
  usedAt: number;
}

const idleMs = 60_000;
/** Maximum number of cached redactors. Each uses about 20 KB per secret of typical length. */
const mostCached = 100;

/**
 * Every run hides all secrets of its workspace, because even a run without secrets can receive one as a parameter or
 * read one that another run stored. A redactor is cached until the secrets change, so that runs need not open the
 * vault. Values short or simple enough to be guessed are left out, because hiding them in every run would confirm each
 * right guess.
 */
@Injectable()
export class WorkspaceRedactors {
  private readonly cached = new Map<string, CachedRedactor>();

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
    const known = this.cached.get(workspaceId);
    if (known?.version === version) {
      known.usedAt = this.clock.now();
      return known.redactor;
    }
    this.forget(workspaceId);
    if (version === '') return nothing;
    const made: CachedRedactor = { version, redactor: this.make(workspaceId), usedAt: this.clock.now() };
    this.cached.set(workspaceId, made);
    for (const oldest of this.cached.keys()) if (this.cached.size > mostCached) this.forget(oldest);
    this.forgetUnused(workspaceId, made);
    return made.redactor;
  }

  /** Changes when a secret of the workspace or its sites is set, replaced or deleted. Empty if there are none. */
  private async versionOf(workspaceId: string): Promise<string> {
    const [own, ofSites] = await Promise.all([
      this.values.valueIds(workspaceId),
      this.variables.secretValueIds(workspaceId),
    ]);
    return [...own, ...ofSites].join();
  }

  private forget(workspaceId: string): void {
    this.cached.delete(workspaceId);
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

  private forgetUnused(workspaceId: string, made: CachedRedactor): void {
    this.clock.after(idleMs, () => {
      if (this.cached.get(workspaceId) !== made) return;
      if (this.clock.now() - made.usedAt >= idleMs) this.forget(workspaceId);
      else this.forgetUnused(workspaceId, made);
    });
  }
}

const nothing = new Redactor([]);
