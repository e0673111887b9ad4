import { CommandHandler } from '@nestjs/cqrs';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import type { Caller } from '../../../kernel/caller.js';
import type { Agent } from '../../workspace/agent/agent.events.js';
import { type AccountFunction, type Grants, hasFullDataAccess } from './function.events.js';
import { definitionChange, type Saving, updateFunction, wholeGrants } from './function.js';
import { reserve, UpdateFunction } from './function.operations.js';
import { type Outcome, proposeSave } from './function-changes.js';
import { FunctionGate } from './function-gate.js';
import { checkServiceTools } from './service-tools.js';

/** Looks up what a save depends on: the versions switch, and what an agent may use. */
@CommandHandler(UpdateFunction)
export class UpdateFunctionHandler {
  constructor(
    private readonly gate: FunctionGate,
    private readonly reads: Reads,
  ) {}

  async execute(input: UpdateFunction): Promise<object> {
    const call = callOf(input);
    const { versions } = await this.gate.settings(call.workspaceId);
    const ofAgent = await this.grantsOfAgent(call);
    const saving: Saving = { by: call.actor, versions, versionId: call.newId('ver'), ofAgent };
    const { id, name } = input;
    return this.gate.change(call, id, (fn) => this.decide(fn, input, saving, call.caller), {
      reserves: (fn) => (name === undefined || name === fn?.name ? [] : [reserve(name, call.workspaceId, id)]),
    });
  }

  /** With versions off a save is live at once, so with Full data access it waits, whole (settled question Q-A23). */
  private decide(fn: AccountFunction, input: UpdateFunction, saving: Saving, caller: Caller | undefined): Outcome {
    const events = updateFunction(fn, input, saving);
    checkServiceTools(input.grants, (fn.draft ?? fn).grants.serviceTools, caller);
    if (saving.versions || !hasFullDataAccess(fn)) return { events };
    const definition = definitionChange(fn, input, false);
    if (definition === undefined) return { events };
    const atOnce = events.filter(({ type }) => type !== 'FunctionDefinitionChanged');
    return { ...proposeSave(fn, definition), events: atOnce };
  }

  private async grantsOfAgent({ caller, workspaceId }: Call): Promise<Grants | undefined> {
    if (caller?.kind !== 'agent') return undefined;
    const agent = await this.reads.get<Agent>(workspaceId, 'agents', caller.id);
    return wholeGrants(agent?.grants ?? {});
  }
}
