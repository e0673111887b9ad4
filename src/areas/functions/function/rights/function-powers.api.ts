import { Injectable } from '@nestjs/common';
import { Gate } from '../../../../engine/approvals/gate.js';
import { PendingChanges } from '../../../../engine/approvals/pending-changes.js';
import type { OperationContext } from '../../../../engine/operation/operation-context.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import { type Owned, ownerOf } from '../../../../kernel/callers/function-owner.js';
import { refuseInput } from '../../../../kernel/field/refuse-input.js';
import { Clock } from '../../../../ports/clock.port.js';
import { settingsOf } from '../../../workspace/workspace/workspace-settings.api.js';
import { gatedFunctions, secretsKnownTo } from '../cards/gated-functions.js';
import type { FunctionDocument, IdentityMode, Power } from '../function.record.js';
import {
  type CapabilitiesInput,
  type FunctionCardKind,
  setCapabilities,
  setIdentityMode,
  type WaitingPowers,
} from '../function-changes.js';
import { type NamedFunction } from '../function-commands.api.js';
import { ofOwner } from '../function-kinds.api.js';
import { changerOf } from './changer.js';
import { checkedSecrets, type SecretsInput, setSecrets } from './function-secrets.js';
import { checkAgentReaches } from './machine-limits.js';

@Injectable()
export class FunctionPowers {
  constructor(
    private readonly gate: Gate,
    private readonly reads: Reads,
    private readonly clock: Clock,
    private readonly cards: PendingChanges,
  ) {}

  async setCapabilities(
    call: OperationContext,
    { id, ...owned }: NamedFunction,
    input: CapabilitiesInput,
  ): Promise<object> {
    if (input.capabilities === undefined && input.add === undefined && input.remove === undefined) {
      const message = 'is required, or add or remove';
      refuseInput([{ path: 'capabilities', message }]);
    }
    const { actsAsWorkspaceSwitch: workspaceSwitch } = await settingsOf(this.reads, call.workspaceId);
    const waiting = input.add === undefined ? undefined : await this.waitingPowers(call, id);
    const around = { undoId: call.newId('undo'), now: this.clock.now(), workspaceSwitch, waiting };
    const changeable = await this.changeable(call, owned);
    return this.gate.change(call, gatedFunctions[ownerOf(owned).kind], {
      id,
      decide: (fn) => setCapabilities(changeable(fn), input, around),
    });
  }

  async setIdentityMode(
    call: OperationContext,
    { id, ...owned }: NamedFunction,
    input: { readonly mode: IdentityMode; readonly seenVersion?: string },
  ): Promise<object> {
    const { actsAsWorkspaceSwitch } = await settingsOf(this.reads, call.workspaceId);
    const changeable = await this.changeable(call, owned);
    return this.gate.change(call, gatedFunctions[ownerOf(owned).kind], {
      id,
      decide: (fn) => setIdentityMode(changeable(fn), input, actsAsWorkspaceSwitch),
    });
  }

  async setSecrets(
    call: OperationContext,
    { id, ...owned }: NamedFunction,
    { secrets: sent, keepUntilApproved }: SecretsInput,
  ) {
    const { hosts: known, guessable } = await secretsKnownTo(this.reads, call.workspaceId, owned);
    const { secrets, ignored } = checkedSecrets(sent, known);
    // With `keepUntilApproved`, removals would wait for approval. It is ignored for a caller who is not allowed to
    // delete, so that removals are refused now.
    const removalsWait = keepUntilApproved === true && !call.caller?.neverDeletes;
    const taking = { undoId: call.newId('undo'), now: this.clock.now(), guessable, removalsWait };
    return this.gate.change(call, gatedFunctions[ownerOf(owned).kind], {
      id,
      decide: (fn) => setSecrets(ofOwner(fn, owned), secrets, taking),
      extra: ignored.length === 0 ? {} : { ignored },
    });
  }

  /** The returned function refuses functions of other owners, and those that the calling agent may not change. */
  private async changeable(call: OperationContext, owned: Owned): Promise<(fn: FunctionDocument) => FunctionDocument> {
    const changer = await changerOf(call, this.reads);
    return (fn) => {
      checkAgentReaches(ofOwner(fn, owned), changer);
      return fn;
    };
  }

  private async waitingPowers({ workspaceId }: OperationContext, targetId: string): Promise<WaitingPowers | undefined> {
    const kind: FunctionCardKind = 'function-capabilities';
    const card = await this.cards.waiting(workspaceId, { kind, targetId });
    return card && { id: card.id, powers: card.input['powers'] as unknown as readonly Power[] };
  }
}
