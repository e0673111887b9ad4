import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type Known, nothingKnown } from '../../../kernel/condition/check-condition.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { isGuessable } from '../../../secret-text/hiding/guessable.js';
import { SiteKnown } from '../../access/judging/site-known.api.js';
import { type SecretReader, SecretReaders } from '../../secrets/env-var/secret-readers.api.js';
import { refuse } from '../sites.refusals.js';
import {
  checkKeeper,
  checkSiteEnvVar,
  createSiteEnvVar,
  deleteSiteEnvVar,
  mustBeOfNoPlugin,
  type NewSiteEnvVar,
  type SiteEnvVarInput,
  updateSiteEnvVar,
  type VaultValue,
} from './site-env-var.js';
import { envVarNameIn, type SiteEnvVar, siteEnvVarName, siteEnvVars } from './site-env-var.record.js';
import { type ShownSiteEnvVar, SiteEnvVarView } from './site-env-var-view.js';

@Injectable()
export class SiteEnvVarChanges {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: RecordedSecrets,
    private readonly view: SiteEnvVarView,
    private readonly reads: Reads,
    private readonly known: SiteKnown,
    private readonly readers: SecretReaders,
  ) {}

  async create(call: OperationContext, command: NewSiteEnvVar): Promise<ShownSiteEnvVar> {
    mustBeOfNoPlugin(command);
    const { value, ...input } = checkSiteEnvVar(command);
    checkKeeper(call.caller, { name: input.name, allowedHosts: [] }, input);
    const id = call.newId('env');
    const { projectId, name, installScopeId = null } = input;
    const holder = streamOf(siteEnvVars.category, call.workspaceId, id);
    const reservation = siteEnvVarName(envVarNameIn({ projectId, installScopeId, name }), holder);
    const valueId = call.newId('val');
    const sealed = { valueId, guessable: isGuessable(value) };
    const envVar = await this.secrets.drafting(siteEnvVars, call, { id: valueId, value }, async () => {
      const { state } = await this.secrets.change(call, {
        aggregate: siteEnvVars,
        id,
        begins: true,
        decide: () => createSiteEnvVar(input, sealed),
        reserves: () => [{ reservation, taken: () => refuse('site-env-var-exists', { name }) }],
      });
      return state ?? siteEnvVars.missing();
    });
    return recordOf(envVar, value);
  }

  async update(call: OperationContext, command: SiteEnvVarInput & { readonly id: string }): Promise<ShownSiteEnvVar> {
    if (command.useRules !== undefined && call.caller?.kind !== 'person') refuse('use-rules-by-person');
    const { id, value, ...input } = checkSiteEnvVar(command);
    const known = await this.knownFor(call, command);
    const change = async (sealed?: VaultValue) => {
      const { state } = await this.secrets.change(call, {
        aggregate: siteEnvVars,
        id,
        decide: (found) => {
          const before = found ?? siteEnvVars.missing();
          checkKeeper(call.caller, before, input);
          return updateSiteEnvVar(before, input, sealed, known);
        },
      });
      return state ?? siteEnvVars.missing();
    };
    if (value === undefined) return (await this.view.of(await change())) ?? siteEnvVars.missing();
    const valueId = call.newId('val');
    const after = await this.secrets.drafting(siteEnvVars, call, { id: valueId, value }, () =>
      change({ valueId, guessable: isGuessable(value) }),
    );
    return recordOf(after, value);
  }

  private async knownFor(
    call: OperationContext,
    { id, useRules }: SiteEnvVarInput & { readonly id: string },
  ): Promise<Known> {
    if (!useRules) return nothingKnown;
    const { projectId } = await this.reads.one(call, siteEnvVars, id);
    return this.known.of(call.workspaceId, projectId);
  }

  async delete(call: OperationContext, id: string): Promise<void> {
    const readers = await this.readersOf(call, id);
    await this.secrets.change(call, {
      aggregate: siteEnvVars,
      id,
      decide: (before) => {
        if (before !== undefined) checkKeeper(call.caller, before);
        if (before !== undefined && readers.length > 0) inUse(before, readers);
        return before === undefined ? [] : deleteSiteEnvVar(before);
      },
    });
  }

  /** Only functions with Full data access can read secrets (Q-S23). */
  private async readersOf({ workspaceId }: OperationContext, id: string): Promise<readonly SecretReader[]> {
    const envVar = await this.runner.find(siteEnvVars, workspaceId, id);
    if (envVar === undefined || !envVar.isSecret || envVar.installScopeId !== null) return [];
    return this.readers.readersOf({ workspaceId, name: envVar.name, projectId: envVar.projectId });
  }
}

function inUse({ name }: SiteEnvVar, readers: readonly SecretReader[]): never {
  const functions = readers.map((fn) => ({ id: fn.id, name: fn.name }));
  return refuse('env-var-in-use', { name, functions: functions.map((fn) => fn.name) }, { functions });
}

const recordOf = (envVar: SiteEnvVar, value: string): ShownSiteEnvVar =>
  envVar.isSecret ? envVar : { ...envVar, value };
