import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type Known, nothingKnown } from '../../../kernel/condition/check-condition.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { isGuessable } from '../../../secret-text/guessable.js';
import { SiteKnown } from '../../access/judging/site-known.api.js';
import { type SecretReader, SecretReaders } from '../../secrets/env-var/secret-readers.api.js';
import {
  checkKeeper,
  checkSiteEnvVar,
  createSiteEnvVar,
  deleteSiteEnvVar,
  mustBeOfNoPlugin,
  type SealedValue,
  updateSiteEnvVar,
} from './site-env-var.js';
import {
  CreateSiteEnvVar,
  DeleteSiteEnvVar,
  ListSiteEnvVars,
  SiteEnvVarRecord,
  UpdateSiteEnvVar,
} from './site-env-var.operations.js';
import { envVarNameIn, type SiteEnvVar, siteEnvVarName, siteEnvVars } from './site-env-var.record.js';
import { SiteEnvVarView } from './site-env-var-view.js';

@QueryHandler(ListSiteEnvVars)
export class ListSiteEnvVarsHandler {
  constructor(
    private readonly reads: Reads,
    private readonly view: SiteEnvVarView,
  ) {}

  async execute(input: ListSiteEnvVars): Promise<readonly SiteEnvVarRecord[]> {
    const { workspaceId } = callOf(input);
    const { projectId } = input;
    const found = await this.reads.find<SiteEnvVar>(workspaceId, 'siteEnvVars', {
      where: { projectId },
      sort: [['name', 'asc']],
    });
    const all = await Promise.all(found.map((envVar) => this.view.of(envVar)));
    return all.filter((one) => one !== undefined);
  }
}

@CommandHandler(CreateSiteEnvVar)
export class CreateSiteEnvVarHandler {
  constructor(private readonly secrets: RecordedSecrets) {}

  async execute(command: CreateSiteEnvVar): Promise<SiteEnvVarRecord> {
    const call = callOf(command);
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
}

@CommandHandler(UpdateSiteEnvVar)
export class UpdateSiteEnvVarHandler {
  constructor(
    private readonly secrets: RecordedSecrets,
    private readonly view: SiteEnvVarView,
    private readonly reads: Reads,
    private readonly known: SiteKnown,
  ) {}

  async execute(command: UpdateSiteEnvVar): Promise<SiteEnvVarRecord> {
    const call = callOf(command);
    if (command.useRules !== undefined && call.caller?.kind !== 'person') refuse('use-rules-by-person');
    const { id, value, ...input } = checkSiteEnvVar(command);
    const known = await this.knownFor(call, command);
    const change = async (sealed?: SealedValue) => {
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

  private async knownFor(call: Call, { id, useRules }: UpdateSiteEnvVar): Promise<Known> {
    if (!useRules) return nothingKnown;
    const { projectId } = await this.reads.one(call, siteEnvVars, id);
    return this.known.of(call.workspaceId, projectId);
  }
}

@CommandHandler(DeleteSiteEnvVar)
export class DeleteSiteEnvVarHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: RecordedSecrets,
    private readonly readers: SecretReaders,
  ) {}

  async execute(command: DeleteSiteEnvVar): Promise<{ readonly success: true }> {
    const call = callOf(command);
    const readers = await this.readersOf(call, command.id);
    await this.secrets.change(call, {
      aggregate: siteEnvVars,
      id: command.id,
      decide: (before) => {
        if (before !== undefined) checkKeeper(call.caller, before);
        if (before !== undefined && readers.length > 0) inUse(before, readers);
        return before === undefined ? [] : deleteSiteEnvVar(before);
      },
    });
    return { success: true };
  }

  /** The site's functions with Full data access that read the secret (settled question Q-S23). */
  private async readersOf({ workspaceId }: Call, id: string): Promise<readonly SecretReader[]> {
    const envVar = await this.runner.find(siteEnvVars, workspaceId, id);
    if (envVar === undefined || !envVar.isSecret || envVar.installScopeId !== null) return [];
    return this.readers.of({ workspaceId, name: envVar.name, projectId: envVar.projectId });
  }
}

function inUse({ name }: SiteEnvVar, readers: readonly SecretReader[]): never {
  const functions = readers.map((fn) => ({ id: fn.id, name: fn.name }));
  return refuse('env-var-in-use', { name, functions: functions.map((fn) => fn.name) }, { functions });
}

/** Makes the change, and answers the variable after it with the events that it recorded. */
const recordOf = (envVar: SiteEnvVar, value: string): SiteEnvVarRecord =>
  shown(SiteEnvVarRecord, envVar.isSecret ? envVar : { ...envVar, value });

export const siteEnvVarHandlers = [
  ListSiteEnvVarsHandler,
  CreateSiteEnvVarHandler,
  UpdateSiteEnvVarHandler,
  DeleteSiteEnvVarHandler,
  SiteEnvVarView,
];
