import { Injectable } from '@nestjs/common';
import { Gate } from '../../../../engine/approvals/gate.js';
import type { OperationContext } from '../../../../engine/operation/operation-context.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import { ownerOf } from '../../../../kernel/callers/function-owner.js';
import type { Taking } from '../../../../kernel/record/undo.js';
import { Clock } from '../../../../ports/clock.port.js';
import { settingsOf } from '../../../workspace/workspace/workspace-settings.api.js';
import { refuse } from '../../functions.refusals.js';
import { GuardedFunctions } from '../cards/approved-functions.js';
import { gatedFunctions } from '../cards/gated-functions.js';
import { publish, rollBackFunction } from '../function-changes.js';
import { FunctionCommands, type NamedFunction } from '../function-commands.api.js';
import { ofOwner } from '../function-kinds.api.js';
import type { VersionList } from '../shown/function-shapes.api.js';
import { publication, versionRecord } from '../shown/function-view.js';
import { FunctionVersionReader } from './function-version-reader.api.js';

@Injectable()
export class FunctionVersions {
  constructor(
    private readonly gate: Gate,
    private readonly reads: Reads,
    private readonly work: FunctionCommands,
    private readonly earlier: FunctionVersionReader,
    private readonly clock: Clock,
    private readonly guarded: GuardedFunctions,
  ) {}

  async publish(call: OperationContext, { id, ...owned }: NamedFunction, versionId: string): Promise<object> {
    await this.mayMakeLive(call);
    const { fourEyes, codeCards } = await settingsOf(this.reads, call.workspaceId);
    const led = await this.guarded.callingGate(call.workspaceId, { id, ...owned });
    const around = { by: call.actor, fourEyes, codeCards, led, taking: this.taking(call) };
    return this.gate.change(call, gatedFunctions[ownerOf(owned).kind], {
      id,
      decide: (fn) => publish(ofOwner(fn, owned), versionId, around),
      show: (fn) => publication(fn, versionId),
    });
  }

  async rollBack(call: OperationContext, { id, ...owned }: NamedFunction, versionId: string): Promise<object> {
    await this.mayMakeLive(call);
    const definition = await this.earlier.definition(call.workspaceId, id, versionId, owned);
    const { codeCards } = await settingsOf(this.reads, call.workspaceId);
    const led = await this.guarded.callingGate(call.workspaceId, { id, ...owned });
    const around = { codeCards, led, taking: this.taking(call) };
    return this.gate.change(call, gatedFunctions[ownerOf(owned).kind], {
      id,
      decide: (fn) => rollBackFunction(ofOwner(fn, owned), versionId, definition, around),
      show: (fn) => publication(fn, versionId),
    });
  }

  async list({ workspaceId }: OperationContext, named: NamedFunction): Promise<VersionList> {
    const fn = await this.work.find(workspaceId, named);
    const { versions: switchedOn } = await settingsOf(this.reads, workspaceId);
    return { switchedOn, versions: switchedOn ? fn.versions.map(versionRecord).reverse() : [] };
  }

  private taking(call: OperationContext): Taking {
    return { undoId: call.newId('undo'), now: this.clock.now() };
  }

  /**
   * Only people may make a version live, and only if versions are switched on (Automations API, States; settled
   * question Q-A30).
   * @throws Refusal
   */
  private async mayMakeLive({ caller, workspaceId }: OperationContext): Promise<void> {
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
    if (!(await settingsOf(this.reads, workspaceId)).versions) refuse('versions-off');
  }
}
