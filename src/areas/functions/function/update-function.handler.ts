import { CommandHandler } from '@nestjs/cqrs';
import { Gate } from '../../../engine/gate.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import type { ReadText } from '../../../kernel/text.js';
import type { Agent } from '../../workspace/agent/agent.record.js';
import { settingsOf } from '../../workspace/workspace/workspace-settings.api.js';
import type { Saving } from './asked-save.js';
import { wholeGrants } from './function.js';
import { UpdateFunction } from './function.operations.js';
import type { AccountFunction, Grants } from './function.record.js';
import type { FunctionOutcome } from './function-changes.js';
import { wantedName } from './function-name.js';
import { readForSave, updateFunction } from './function-save.js';
import { gatedFunctions } from './gated-functions.js';
import { checkServiceTools, listerOf } from './service-tools.js';

/** Looks up what a save depends on: the versions switch, and the agent's grants. */
@CommandHandler(UpdateFunction)
export class UpdateFunctionHandler {
  constructor(
    private readonly gate: Gate,
    private readonly reads: Reads,
  ) {}

  async execute(input: UpdateFunction): Promise<object> {
    const call = callOf(input);
    const { versions } = await settingsOf(this.reads, call.workspaceId);
    const ofAgent = await this.grantsOfAgent(call);
    const saving: Saving = { by: call.actor, versions, versionId: call.newId('ver'), ofAgent };
    const lister = await listerOf(call, this.reads);
    const { id, name } = input;
    const decide = (fn: AccountFunction, read: ReadText): FunctionOutcome => {
      const outcome = updateFunction(fn, input, saving, read);
      checkServiceTools(input.grants, (fn.draft ?? fn).grants.serviceTools, lister);
      return outcome;
    };
    return this.gate.change(call, gatedFunctions, {
      id,
      reads: (fn) => readForSave(fn, input),
      decide,
      reserves: (fn) => (name === undefined || name === fn?.name ? [] : [wantedName(name, id, call, fn)]),
    });
  }

  private async grantsOfAgent({ caller, workspaceId }: Call): Promise<Grants | undefined> {
    if (caller?.kind !== 'agent') return undefined;
    const agent = await this.reads.get<Agent>(workspaceId, 'agents', caller.id);
    return wholeGrants(agent?.grants ?? {});
  }
}
