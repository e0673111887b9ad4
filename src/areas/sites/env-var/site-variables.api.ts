import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { refuse } from '../sites.refusals.js';
import { createSiteEnvVar, deleteSiteEnvVar, updateSiteEnvVar } from './site-env-var.js';
import { envVarNameIn, type SiteEnvVar, siteEnvVarName, siteEnvVars } from './site-env-var.record.js';

/** Limit per site for variables that are not secrets. Functions can create these. */
const mostSettings = 200;
/**
 * Maximum number of attempts of one call. If several writers create the same variable at once, one succeeds, and the
 * others find the variable at their next attempt.
 */
const tries = 5;

export interface OpenedVariable {
  readonly recorded: SiteEnvVar;
  readonly value: string;
}

@Injectable()
export class SiteVariables {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly secrets: RecordedSecrets,
  ) {}

  async find(workspaceId: string, projectId: string, name: string): Promise<SiteEnvVar | undefined> {
    const where = { projectId, name, installScopeId: null };
    const shown = await this.reads.first<SiteEnvVar>(workspaceId, 'siteEnvVars', where);
    return shown && (await this.runner.find(siteEnvVars, workspaceId, shown.id));
  }

  /** @throws VaultUnavailable, VaultSealBroken, EventStoreUnavailable */
  open(workspaceId: string, projectId: string, name: string): Promise<OpenedVariable | undefined> {
    return this.secrets.openCurrent(siteEnvVars, workspaceId, () => this.find(workspaceId, projectId, name));
  }

  /**
   * Callers search outputs for these values in order to hide them.
   * @throws VaultUnavailable, VaultSealBroken, EventStoreUnavailable
   */
  async allSecretValues(workspaceId: string): Promise<readonly string[]> {
    const opened = await Promise.all(
      (await this.allSecrets(workspaceId)).map(({ id }) =>
        this.secrets.openCurrent(siteEnvVars, workspaceId, () => this.runner.find(siteEnvVars, workspaceId, id)),
      ),
    );
    return opened.flatMap((one) => (one === undefined ? [] : [one.value]));
  }

  /** Does not decrypt the values. */
  async secretValueIds(workspaceId: string): Promise<readonly string[]> {
    return (await this.allSecrets(workspaceId)).map(({ valueId }) => valueId);
  }

  /**
   * `null` deletes the variable. The name must begin with `APP_`.
   * @param neverDeletes whether a change that destroys the former value is refused
   * @throws Refusal
   */
  async set(
    call: OperationContext,
    projectId: string,
    name: string,
    value: string | null,
    neverDeletes = false,
  ): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const before = await this.open(call.workspaceId, projectId, name);
      if (before?.value === value || (before === undefined && value === null)) return;
      if (neverDeletes && before !== undefined) refuse('key-never-deletes', { operation: call.operation });
      try {
        if (value === null) return await this.delete(call, before?.recorded);
        return await this.store(call, projectId, name, value, before?.recorded);
      } catch (error) {
        const wasFirst =
          error instanceof Refusal && ['site-env-var-exists', 'site-env-var-not-found'].includes(error.code);
        if (!wasFirst || attempt === tries) throw error;
      }
    }
  }

  private allSecrets(workspaceId: string): Promise<readonly SiteEnvVar[]> {
    return this.reads.find<SiteEnvVar>(workspaceId, 'siteEnvVars', {
      where: { isSecret: true },
      sort: [['id', 'asc']],
    });
  }

  private async store(
    call: OperationContext,
    projectId: string,
    name: string,
    value: string,
    before: SiteEnvVar | undefined,
  ) {
    if (before === undefined) await this.mustHaveRoom(call.workspaceId, projectId);
    const id = before?.id ?? call.newId('env');
    const holder = streamOf(siteEnvVars.category, call.workspaceId, id);
    const reservation = siteEnvVarName(envVarNameIn({ projectId, installScopeId: null, name }), holder);
    const valueId = call.newId('val');
    const sealed = { valueId, guessable: true };
    await this.secrets.drafting(siteEnvVars, call, { id: valueId, value }, () =>
      this.secrets.change(call, {
        aggregate: siteEnvVars,
        id,
        begins: before === undefined,
        decide: (now) =>
          now === undefined
            ? createSiteEnvVar({ projectId, name, isSecret: false }, sealed)
            : updateSiteEnvVar(now, {}, sealed),
        reserves: (now) =>
          now === undefined ? [{ reservation, taken: () => refuse('site-env-var-exists', { name }) }] : [],
      }),
    );
  }

  private async delete(call: OperationContext, before: SiteEnvVar | undefined): Promise<void> {
    if (before === undefined) return;
    await this.secrets.change(call, {
      aggregate: siteEnvVars,
      id: before.id,
      decide: (now) => (now === undefined ? [] : deleteSiteEnvVar(now)),
    });
  }

  private async mustHaveRoom(workspaceId: string, projectId: string): Promise<void> {
    const count = await this.reads.count(workspaceId, 'siteEnvVars', { projectId, isSecret: false });
    if (count >= mostSettings) refuse('app-settings-full', { limit: mostSettings });
  }
}
