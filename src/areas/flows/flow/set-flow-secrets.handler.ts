import { CommandHandler } from '@nestjs/cqrs';
import { Gate } from '../../../engine/approvals/gate.js';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { Clock } from '../../../ports/clock.port.js';
import { checkSecretList } from '../../../secret-text/secret-list.js';
import { knownSecrets } from '../../secrets/env-var/known-secrets.api.js';
import { setFlowSecrets } from './flow.js';
import { SetFlowSecrets } from './flow.operations.js';
import { gatedFlows } from './gated-flows.js';

@CommandHandler(SetFlowSecrets)
export class SetFlowSecretsHandler {
  constructor(
    private readonly gate: Gate,
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  async execute(input: SetFlowSecrets): Promise<object> {
    const call = callOf(input);
    const idle = input.secrets.findIndex(({ hosts }) => hosts.length === 0);
    if (idle >= 0) refuseInput([{ path: `secrets[${idle}].hosts`, message: 'must name a host that it may go to' }]);
    const { hosts, guessable } = await knownSecrets(this.reads, call.workspaceId);
    const checked = checkSecretList(input.secrets, hosts);
    if (!checked.ok) return refuseInput(checked.errors);
    const { secrets, ignored } = checked;
    const taking = { undoId: call.newId('undo'), now: this.clock.now(), guessable };
    return this.gate.change(call, gatedFlows, {
      id: input.id,
      decide: (flow) => setFlowSecrets(flow, secrets, taking),
      extra: ignored.length === 0 ? {} : { ignored },
    });
  }
}
