import { Injectable } from '@nestjs/common';
import { Gate } from '../../../engine/approvals/gate.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { isPersons } from '../../../kernel/callers/caller.js';
import { type Owned, ownerOf } from '../../../kernel/callers/function-owner.js';
import type { ReadText } from '../../../kernel/text/text.js';
import { Clock } from '../../../ports/clock.port.js';
import { SiteKnown } from '../../access/judging/site-known.api.js';
import type { Agent } from '../../workspace/agent/agent.record.js';
import { ConnectedApps } from '../../workspace/agent/connected-apps.api.js';
import { settingsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { refuse } from '../functions.refusals.js';
import { GuardedFunctions } from './cards/approved-functions.js';
import { gatedFunctions } from './cards/gated-functions.js';
import { createFunction, deleteFunction, type FunctionInput, wholeGrants } from './function.js';
import type { FunctionDocument, Grants } from './function.record.js';
import type { FunctionOutcome } from './function-changes.js';
import { functionsOf, ofOwner } from './function-kinds.api.js';
import { functionNameRequest } from './function-name.js';
import { ownerRulesOf } from './function-owner.api.js';
import { readForSave, updateFunction } from './function-save.js';
import { changerOf } from './rights/changer.js';
import { checkGivenGrants } from './rights/given-grants.js';
import { checkAgentReaches } from './rights/machine-limits.js';
import type { FunctionUpdateInput, Saving } from './save-input.js';
import { FunctionVersionReader } from './versions/function-version-reader.api.js';

export interface NamedFunction extends Owned {
  readonly id: string;
}

@Injectable()
export class FunctionCommands {
  constructor(
    private readonly runner: CommandRunner,
    private readonly gate: Gate,
    private readonly reads: Reads,
    private readonly texts: RecordTexts,
    private readonly clock: Clock,
    private readonly known: SiteKnown,
    private readonly guarded: GuardedFunctions,
    private readonly earlier: FunctionVersionReader,
    private readonly apps: ConnectedApps,
  ) {}

  /**
   * A workspace function that an agent creates gets the agent's grants; a site's function that an agent creates gets
   * none (Automations API, Rules 6).
   */
  async create(
    call: OperationContext,
    input: FunctionInput & { readonly name: string },
    owned: Owned = {},
  ): Promise<object> {
    const changer = await changerOf(call, this.reads);
    const ofAgent = await this.grantsOfCreator(call, owned);
    if (ofAgent === undefined) {
      checkGivenGrants(input.grants, wholeGrants({}), { ...changer, caller: call.caller });
      const { connections } = input.grants ?? {};
      this.apps.check(connections, [], await this.apps.known(call.workspaceId, connections), 'grants.connections');
    }
    const functions = functionsOf(owned);
    const id = call.newId('fn');
    const versionId = call.newId('ver');
    const known = await this.known.of(call.workspaceId, owned.projectId);
    const fn = await this.runner.change(call, {
      aggregate: functions,
      id,
      begins: true,
      decide: () => createFunction(input, ofAgent, versionId, ownerOf(owned), known),
      reserves: () => [functionNameRequest(input.name, id, call, owned)],
    });
    return this.shown(fn ?? functions.missing());
  }

  async update(call: OperationContext, { id, ...owned }: NamedFunction, input: FunctionUpdateInput): Promise<object> {
    const settings = await settingsOf(this.reads, call.workspaceId);
    const { versions, actsAsWorkspaceSwitch: workspaceSwitch, fourEyes, codeCards } = settings;
    const changer = await changerOf(call, this.reads);
    const versionId = call.newId('ver');
    const now = this.clock.now();
    const taking = { undoId: call.newId('undo'), now };
    const takingPowers = { undoId: call.newId('undo'), now };
    const known = await this.known.of(call.workspaceId, owned.projectId);
    const led = await this.guarded.callingGate(call.workspaceId, { id, ...owned });
    const isMaker = input.accessRules !== undefined && (await this.isMaker(call, { id, ...owned }));
    const around = { ...changer, taking, takingPowers, known, led, isMaker };
    const saving: Saving = { ...around, versions, versionId, workspaceSwitch, fourEyes, codeCards };
    const apps = await this.apps.known(call.workspaceId, input.grants?.connections);
    const { name } = input;
    const decide = (fn: FunctionDocument, read: ReadText): FunctionOutcome => {
      const outcome = updateFunction(ofOwner(fn, owned), input, saving, read);
      const { grants: present } = versions ? (fn.draft ?? fn) : fn;
      checkGivenGrants(input.grants, present, { ...changer, caller: call.caller });
      const connected = [fn, fn.draft ?? fn].flatMap(({ grants }) => grants.connections);
      // The input for a site's function has `connections` instead of `grants`.
      const path = owned.projectId === undefined ? 'grants.connections' : 'connections';
      this.apps.check(input.grants?.connections, connected, apps, path);
      return outcome;
    };
    return this.gate.change(call, gatedFunctions[ownerOf(owned).kind], {
      id,
      reads: (fn) => readForSave(fn, input),
      decide,
      reserves: (fn) => (name === undefined || name === fn?.name ? [] : [functionNameRequest(name, id, call, fn)]),
    });
  }

  async delete(call: OperationContext, { id, ...owned }: NamedFunction): Promise<{ readonly success: true }> {
    const aggregate = functionsOf(owned);
    const changer = await changerOf(call, this.reads);
    await this.runner.change(call, {
      aggregate,
      id,
      decide: (fn) => {
        checkAgentReaches(ofOwner(fn ?? aggregate.missing(), owned), changer);
        return deleteFunction();
      },
    });
    return { success: true };
  }

  async find(workspaceId: string, { id, ...owned }: NamedFunction): Promise<FunctionDocument> {
    const fn = await this.reads.get<FunctionDocument>(workspaceId, ownerRulesOf(owned).collection, id);
    return ofOwner(fn ?? functionsOf(owned).missing(), owned);
  }

  async shown(fn: FunctionDocument): Promise<object> {
    const read = await this.texts.readAll(functionsOf(fn), fn.workspaceId, fn);
    return gatedFunctions[ownerOf(fn).kind].shown(fn, read);
  }

  private async isMaker({ workspaceId, actor }: OperationContext, named: NamedFunction): Promise<boolean> {
    return !isPersons(actor.kind) && (await this.earlier.isMadeBy(workspaceId, named, actor));
  }

  private async grantsOfCreator({ caller, workspaceId }: OperationContext, owned: Owned): Promise<Grants | undefined> {
    if (caller?.kind !== 'agent') return undefined;
    const agent = await this.reads.get<Agent>(workspaceId, 'agents', caller.id);
    if (!agent?.canCreateFunctions) return refuse('agent-cannot-create');
    return wholeGrants(ownerRulesOf(owned).inheritsGrants ? agent.grants : {});
  }
}
