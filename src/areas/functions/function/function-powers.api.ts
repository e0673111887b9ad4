import { Injectable } from '@nestjs/common';
import { Gate } from '../../../engine/gate.js';
import type { Call } from '../../../engine/operation/call.js';
import { refuseInput } from '../../../engine/operation/validation.js';
import { Reads } from '../../../engine/reads.js';
import { ownerOf } from '../../../kernel/function-owner.js';
import { Clock } from '../../../ports/clock.port.js';
import type { SecretInput } from '../../../secret-text/secret-list.js';
import { settingsOf } from '../../workspace/workspace/workspace-settings.api.js';
import type { IdentityMode } from './function.record.js';
import { type CapabilitiesInput, setCapabilities, setIdentityMode } from './function-changes.js';
import { checkedSecrets, setSecrets } from './function-secrets.js';
import { type NamedFunction, ofOwner } from './function-work.api.js';
import { gatedFunctions, secretsKnownTo } from './gated-functions.js';

/** Gives functions powers and secrets, and takes them away, of whatever owner. */
@Injectable()
export class FunctionPowers {
  constructor(
    private readonly gate: Gate,
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  async setCapabilities(call: Call, { id, ...owned }: NamedFunction, input: CapabilitiesInput): Promise<object> {
    if (input.capabilities === undefined && input.remove === undefined) {
      refuseInput([{ path: 'capabilities', message: 'is required, or remove: which powers to keep, or to take away' }]);
    }
    const { actsAsWorkspaceSwitch } = await settingsOf(this.reads, call.workspaceId);
    const taking = { undoId: call.newId('undo'), now: this.clock.now() };
    return this.gate.change(call, gatedFunctions[ownerOf(owned).kind], {
      id,
      decide: (fn) => setCapabilities(ofOwner(fn, owned), input, actsAsWorkspaceSwitch, taking),
    });
  }

  async setIdentityMode(
    call: Call,
    { id, ...owned }: NamedFunction,
    input: { readonly mode: IdentityMode; readonly seenVersion?: string },
  ): Promise<object> {
    const { actsAsWorkspaceSwitch } = await settingsOf(this.reads, call.workspaceId);
    return this.gate.change(call, gatedFunctions[ownerOf(owned).kind], {
      id,
      decide: (fn) => setIdentityMode(ofOwner(fn, owned), input, actsAsWorkspaceSwitch),
    });
  }

  async setSecrets(call: Call, { id, ...owned }: NamedFunction, sent: readonly SecretInput[]): Promise<object> {
    const { hosts: known, guessable } = await secretsKnownTo(this.reads, call.workspaceId, owned);
    const { secrets, ignored } = checkedSecrets(sent, known);
    const taking = { undoId: call.newId('undo'), now: this.clock.now() };
    return this.gate.change(call, gatedFunctions[ownerOf(owned).kind], {
      id,
      decide: (fn) => setSecrets(ofOwner(fn, owned), secrets, taking, guessable),
      extra: ignored.length === 0 ? {} : { ignored },
    });
  }
}
