import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { refuseInput } from '../../../engine/operation/validation.js';
import { Clock } from '../../../ports/clock.port.js';
import { checkSecretList } from '../../../secret-text/secret-list.js';
import { SetFlowSecrets } from './flow.operations.js';
import { FlowGate } from './flow-gate.js';

@CommandHandler(SetFlowSecrets)
export class SetFlowSecretsHandler {
  constructor(
    private readonly gate: FlowGate,
    private readonly clock: Clock,
  ) {}

  async execute(input: SetFlowSecrets): Promise<object> {
    const call = callOf(input);
    const idle = input.secrets.findIndex(({ hosts }) => hosts.length === 0);
    if (idle >= 0) refuseInput([{ path: `secrets[${idle}].hosts`, message: 'must name a host that it may go to' }]);
    const { hosts, guessable } = await this.gate.knownSecrets(call.workspaceId);
    const checked = checkSecretList(input.secrets, hosts);
    if (!checked.ok) return refuseInput(checked.errors);
    const { secrets, ignored } = checked;
    const taking = { undoId: call.newId('undo'), now: this.clock.now(), guessable };
    return this.gate.setSecrets(call, input.id, secrets, taking, ignored.length === 0 ? {} : { ignored });
  }
}
