import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/command-runner.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { RecordTexts } from '../../../engine/record-texts.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Agent } from '../../workspace/agent/agent.record.js';
import { type CreatorGrants, createFunction, wholeGrants } from './function.js';
import { CreateFunction } from './function.operations.js';
import { accountFunctions } from './function.record.js';
import { wantedName } from './function-name.js';
import type { FunctionRecord } from './function-shapes.js';
import { functionRecord } from './function-view.js';
import { checkServiceTools, listerOf } from './service-tools.js';

/** Looks up the calling agent, because the function gets that agent's grants (Automations API, Rules 6). */
@CommandHandler(CreateFunction)
export class CreateFunctionHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly texts: RecordTexts,
  ) {}

  async execute(input: CreateFunction): Promise<FunctionRecord> {
    const call = callOf(input);
    const ofAgent = await this.grantsOfAgent(call);
    if (ofAgent === undefined) checkServiceTools(input.grants, [], await listerOf(call, this.reads));
    const id = call.newId('fn');
    const versionId = call.newId('ver');
    const fn = await this.runner.change(call, {
      aggregate: accountFunctions,
      id,
      begins: true,
      decide: () => createFunction(input, ofAgent, versionId),
      reserves: () => [wantedName(input.name, id, call)],
    });
    if (fn === undefined) return accountFunctions.missing();
    return functionRecord(fn, await this.texts.of(accountFunctions, call.workspaceId, fn));
  }

  private async grantsOfAgent({ caller, workspaceId }: Call): Promise<CreatorGrants> {
    if (caller?.kind !== 'agent') return undefined;
    const agent = await this.reads.get<Agent>(workspaceId, 'agents', caller.id);
    if (!agent?.canCreateFunctions) return refuse('agent-cannot-create');
    return wholeGrants(agent.grants);
  }
}
