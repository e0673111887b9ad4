import { CommandHandler } from '@nestjs/cqrs';
import { Gate } from '../../../engine/gate.js';
import { callOf } from '../../../engine/operation/call.js';
import { refuseInput } from '../../../engine/operation/validation.js';
import { Reads } from '../../../engine/reads.js';
import { Clock } from '../../../ports/clock.port.js';
import { settingsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { SetFunctionCapabilities, SetFunctionIdentityMode, SetFunctionSecrets } from './function.operations.js';
import { setCapabilities, setIdentityMode } from './function-changes.js';
import { checkedSecrets, setSecrets } from './function-secrets.js';
import { gatedFunctions, secretsKnownTo } from './gated-functions.js';

@CommandHandler(SetFunctionCapabilities)
export class SetFunctionCapabilitiesHandler {
  constructor(
    private readonly gate: Gate,
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  async execute(input: SetFunctionCapabilities): Promise<object> {
    const call = callOf(input);
    if (input.capabilities === undefined && input.remove === undefined) {
      refuseInput([{ path: 'capabilities', message: 'is required, or remove: which powers to keep, or to take away' }]);
    }
    const { actsAsWorkspaceSwitch } = await settingsOf(this.reads, call.workspaceId);
    const taking = { undoId: call.newId('undo'), now: this.clock.now() };
    return this.gate.change(call, gatedFunctions, {
      id: input.id,
      decide: (fn) => setCapabilities(fn, input, actsAsWorkspaceSwitch, taking),
    });
  }
}

@CommandHandler(SetFunctionIdentityMode)
export class SetFunctionIdentityModeHandler {
  constructor(
    private readonly gate: Gate,
    private readonly reads: Reads,
  ) {}

  async execute(input: SetFunctionIdentityMode): Promise<object> {
    const call = callOf(input);
    const { actsAsWorkspaceSwitch } = await settingsOf(this.reads, call.workspaceId);
    return this.gate.change(call, gatedFunctions, {
      id: input.id,
      decide: (fn) => setIdentityMode(fn, input, actsAsWorkspaceSwitch),
    });
  }
}

@CommandHandler(SetFunctionSecrets)
export class SetFunctionSecretsHandler {
  constructor(
    private readonly gate: Gate,
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  async execute(input: SetFunctionSecrets): Promise<object> {
    const call = callOf(input);
    const { hosts: known, guessable } = await secretsKnownTo(this.reads, call.workspaceId, {});
    const { secrets, ignored } = checkedSecrets(input.secrets, known);
    const taking = { undoId: call.newId('undo'), now: this.clock.now() };
    return this.gate.change(call, gatedFunctions, {
      id: input.id,
      decide: (fn) => setSecrets(fn, secrets, taking, guessable),
      extra: ignored.length === 0 ? {} : { ignored },
    });
  }
}
