import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { refuseInput } from '../../../engine/operation/validation.js';
import { Clock } from '../../../ports/clock.port.js';
import { SetFunctionCapabilities, SetFunctionIdentityMode, SetFunctionSecrets } from './function.operations.js';
import { setCapabilities, setIdentityMode } from './function-changes.js';
import { FunctionGate } from './function-gate.js';
import { checkedSecrets, setSecrets } from './function-secrets.js';

@CommandHandler(SetFunctionCapabilities)
export class SetFunctionCapabilitiesHandler {
  constructor(
    private readonly gate: FunctionGate,
    private readonly clock: Clock,
  ) {}

  async execute(input: SetFunctionCapabilities): Promise<object> {
    const call = callOf(input);
    if (input.capabilities === undefined && input.remove === undefined) {
      refuseInput([{ path: 'capabilities', message: 'is required, or remove: which powers to keep, or to take away' }]);
    }
    const { actsAsWorkspaceSwitch } = await this.gate.settings(call.workspaceId);
    const taking = { undoId: call.newId('undo'), now: this.clock.now() };
    return this.gate.change(call, input.id, (fn) => setCapabilities(fn, input, actsAsWorkspaceSwitch, taking));
  }
}

@CommandHandler(SetFunctionIdentityMode)
export class SetFunctionIdentityModeHandler {
  constructor(private readonly gate: FunctionGate) {}

  async execute(input: SetFunctionIdentityMode): Promise<object> {
    const call = callOf(input);
    const { actsAsWorkspaceSwitch } = await this.gate.settings(call.workspaceId);
    return this.gate.change(call, input.id, (fn) => setIdentityMode(fn, input, actsAsWorkspaceSwitch));
  }
}

@CommandHandler(SetFunctionSecrets)
export class SetFunctionSecretsHandler {
  constructor(
    private readonly gate: FunctionGate,
    private readonly clock: Clock,
  ) {}

  async execute(input: SetFunctionSecrets): Promise<object> {
    const call = callOf(input);
    const { hosts: known, guessable } = await this.gate.knownSecrets(call.workspaceId);
    const { secrets, ignored } = checkedSecrets(input.secrets, known);
    const taking = { undoId: call.newId('undo'), now: this.clock.now() };
    const extra = ignored.length === 0 ? {} : { ignored };
    return this.gate.change(call, input.id, (fn) => setSecrets(fn, secrets, taking, guessable), { extra });
  }
}
