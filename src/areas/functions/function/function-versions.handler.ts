import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import { Gate } from '../../../engine/gate.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { refuse } from '../../../kernel/refusal.js';
import { settingsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { FunctionVersionReader } from './function.api.js';
import { ListFunctionVersions, PublishFunction, RollBackFunction } from './function.operations.js';
import { type AccountFunction, accountFunctions } from './function.record.js';
import { publish, rollBack } from './function-changes.js';
import type { VersionList } from './function-shapes.js';
import { publication, versionRecord } from './function-view.js';
import { gatedFunctions } from './gated-functions.js';

@CommandHandler(PublishFunction)
export class PublishFunctionHandler {
  constructor(
    private readonly gate: Gate,
    private readonly reads: Reads,
  ) {}

  async execute(input: PublishFunction): Promise<object> {
    const call = callOf(input);
    await mayMakeLive(this.reads, call);
    const { id, versionId } = input;
    return this.gate.change(call, gatedFunctions, {
      id,
      decide: (fn) => publish(fn, versionId),
      show: (fn) => publication(fn, versionId),
    });
  }
}

@CommandHandler(RollBackFunction)
export class RollBackFunctionHandler {
  constructor(
    private readonly gate: Gate,
    private readonly reads: Reads,
    private readonly versions: FunctionVersionReader,
  ) {}

  async execute(input: RollBackFunction): Promise<object> {
    const call = callOf(input);
    await mayMakeLive(this.reads, call);
    const { id, versionId } = input;
    const definition = await this.versions.definition(call.workspaceId, id, versionId);
    return this.gate.change(call, gatedFunctions, {
      id,
      decide: (fn) => rollBack(fn, versionId, definition),
      show: (fn) => publication(fn, versionId),
    });
  }
}

@QueryHandler(ListFunctionVersions)
export class ListFunctionVersionsHandler {
  constructor(private readonly reads: Reads) {}

  async execute(input: ListFunctionVersions): Promise<VersionList> {
    const { workspaceId } = callOf(input);
    const fn = await this.reads.get<AccountFunction>(workspaceId, 'functions', input.functionId);
    if (fn === undefined) return accountFunctions.missing();
    const { versions: switchedOn } = await settingsOf(this.reads, workspaceId);
    return { switchedOn, versions: switchedOn ? fn.versions.map(versionRecord).reverse() : [] };
  }
}

/** Only a person may, and only where versions are switched on (Automations API, States; settled question Q-A30). */
async function mayMakeLive(reads: Reads, { caller, workspaceId }: Call): Promise<void> {
  switch (caller?.kind) {
    case 'agent':
      return refuse('drafts-only', { who: 'AI agent' });
    case 'automation':
    case 'flow':
      return refuse('drafts-only', { who: 'automation' });
    case 'person':
    case 'connection':
    case undefined:
      break;
  }
  if (!(await settingsOf(reads, workspaceId)).versions) refuse('versions-off');
}
