import { Injectable } from '@nestjs/common';
import { type Change, CommandRunner } from '../../../engine/commands/command-runner.js';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type Known, nothingKnown } from '../../../kernel/condition/check-condition.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { isGuessable } from '../../../secret-text/guessable.js';
import { SiteKnown } from '../../access/judging/site-known.api.js';
import { siteFunctions } from '../../functions/function/function.record.js';
import { EnvVarValues } from '../../secrets/env-var/env-var-values.api.js';
import { hasFullDataAccess, readersOf, type SecretReader } from '../../secrets/env-var/secret-readers.api.js';
import {
  checkKeeper,
  checkSiteEnvVar,
  createSiteEnvVar,
  deleteSiteEnvVar,
  mustBeOfNoPlugin,
  type NewSiteEnvVar,
  type SealedValue,
  type SiteEnvVarInput,
  updateSiteEnvVar,
} from './site-env-var.js';
import {
  envVarNameIn,
  type SiteEnvVar,
  type SiteEnvVarEvent,
  siteEnvVarName,
  siteEnvVars,
} from './site-env-var.record.js';
import { type ShownSiteEnvVar, SiteEnvVarView } from './site-env-var-view.js';

type Decide = Change<SiteEnvVar | undefined, SiteEnvVarEvent>;

/** Changes variables of sites, and what the vault keeps of them. */
@Injectable()
export class SiteEnvVarChanges {
  constructor(
    private readonly runner: CommandRunner,
    private readonly values: EnvVarValues,
    private readonly view: SiteEnvVarView,
    private readonly reads: Reads,
    private readonly known: SiteKnown,
    private readonly texts: RecordTexts,
  ) {}

  /** @throws Refusal */
  async create(call: Call, command: NewSiteEnvVar): Promise<ShownSiteEnvVar> {
    mustBeOfNoPlugin(command);
    const { value, ...input } = checkSiteEnvVar(command);
    checkKeeper(call.caller, { name: input.name, allowedHosts: [] }, input);
    const id = call.newId('env');
    const { projectId, name, installScopeId = null } = input;
    const holder = streamOf(siteEnvVars.category, call.workspaceId, id);
    const reservation = siteEnvVarName(envVarNameIn({ projectId, installScopeId, name }), holder);
    return this.values.sealing(call, value, async (valueId) => {
      const sealed = { valueId, guessable: isGuessable(value) };
      const recorded = await recording(this.runner, call, {
        id,
        begins: true,
        decide: () => createSiteEnvVar(input, sealed),
        reserves: () => [{ reservation, taken: () => refuse('site-env-var-exists', { name }) }],
      });
      return { ...recorded, answer: recordOf(recorded.answer, value) };
    });
  }

  /** @throws Refusal */
  async update(call: Call, command: SiteEnvVarInput & { readonly id: string }): Promise<ShownSiteEnvVar> {
    if (command.useRules !== undefined && call.caller?.kind !== 'person') refuse('use-rules-by-person');
    const { id, value, ...input } = checkSiteEnvVar(command);
    const known = await this.knownFor(call, command);
    const decide = (found: SiteEnvVar | undefined, sealed?: SealedValue) => {
      const before = found ?? siteEnvVars.missing();
      checkKeeper(call.caller, before, input);
      return updateSiteEnvVar(before, input, sealed, known);
    };
    if (value === undefined) {
      const { answer } = await recording(this.runner, call, {
        id,
        decide: (before) => decide(before),
      });
      return (await this.view.of(answer)) ?? siteEnvVars.missing();
    }
    return this.values.sealing(call, value, async (valueId) => {
      const sealed = { valueId, guessable: isGuessable(value) };
      const recorded = await recording(this.runner, call, {
        id,
        decide: (before) => decide(before, sealed),
      });
      return { ...recorded, answer: recordOf(recorded.answer, value) };
    });
  }

  private async knownFor(call: Call, { id, useRules }: SiteEnvVarInput & { readonly id: string }): Promise<Known> {
    if (!useRules) return nothingKnown;
    const { projectId } = await this.reads.one(call, siteEnvVars, id);
    return this.known.of(call.workspaceId, projectId);
  }

  /** @throws Refusal */
  async delete(call: Call, id: string): Promise<void> {
    const readers = await this.readersOf(call, id);
    let events: readonly SiteEnvVarEvent[] = [];
    await this.runner.change(call, {
      aggregate: siteEnvVars,
      id,
      decide: (before) => {
        if (before !== undefined) checkKeeper(call.caller, before);
        if (before !== undefined && readers.length > 0) inUse(before, readers);
        events = before === undefined ? [] : deleteSiteEnvVar(before);
        return events;
      },
    });
    for (const event of events) await this.values.follow(call.workspaceId, event);
  }

  /** The site's functions with Full data access that read the secret (settled question Q-S23). */
  private async readersOf({ workspaceId }: Call, id: string): Promise<readonly SecretReader[]> {
    const envVar = await this.runner.find(siteEnvVars, workspaceId, id);
    if (envVar === undefined || !envVar.isSecret || envVar.installScopeId !== null) return [];
    const { projectId, name } = envVar;
    const functions = await this.reads.find<Document & SecretReader>(workspaceId, 'siteFunctions', {
      where: { projectId },
    });
    const readers: SecretReader[] = [];
    // One after the other: there may be many, each with the code of two versions.
    for (const fn of functions.filter(hasFullDataAccess)) {
      readers.push(...readersOf(name, [await this.texts.whole(siteFunctions, workspaceId, fn)]));
    }
    return readers;
  }
}

function inUse({ name }: SiteEnvVar, readers: readonly SecretReader[]): never {
  const functions = readers.map((fn) => ({ id: fn.id, name: fn.name }));
  return refuse('env-var-in-use', { name, functions: functions.map((fn) => fn.name) }, { functions });
}

/** Makes the change, and answers the variable after it with the events that it recorded. */
async function recording(
  runner: CommandRunner,
  call: Call,
  change: Omit<Decide, 'aggregate'>,
): Promise<{ readonly answer: SiteEnvVar; readonly events: readonly SiteEnvVarEvent[] }> {
  let events: readonly SiteEnvVarEvent[] = [];
  const after = await runner.change(call, {
    ...change,
    aggregate: siteEnvVars,
    decide: (before, read) => {
      events = change.decide(before, read);
      return events;
    },
  });
  return { answer: after ?? siteEnvVars.missing(), events };
}

const recordOf = (envVar: SiteEnvVar, value: string): ShownSiteEnvVar =>
  envVar.isSecret ? envVar : { ...envVar, value };
