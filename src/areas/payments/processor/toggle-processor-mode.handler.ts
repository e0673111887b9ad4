import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { TestMoney } from '../payment/test-money.api.js';
import { ToggleProcessorMode } from './processor.operations.js';
import { setMode } from './processor-connection.js';
import { processorConnections } from './processor-connection.record.js';

/** So many test payments are looked through before the answer. The saga that follows the mode sees to all of them. */
const mostAtOnce = 2_000;

/** Sets the mode, and has what test money bought end or count again before the answer. */
@CommandHandler(ToggleProcessorMode)
export class ToggleProcessorModeHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly testMoney: TestMoney,
    private readonly calls: Calls,
  ) {}

  async execute(input: ToggleProcessorMode): Promise<{ readonly success: true; readonly endedEntitlements: number }> {
    const call = callOf(input);
    const { workspaceId } = call;
    const { projectId, mode } = input;
    await this.runner.change(call, {
      aggregate: processorConnections,
      id: projectId,
      begins: 'perhaps',
      decide: (before) => setMode(before, projectId, mode),
    });
    const actor = systemActor('payments');
    const callFor = (step: string) => this.calls.once(workspaceId, actor, `payments/${step}`);
    const endedEntitlements = await this.testMoney.follow(workspaceId, projectId, callFor, mostAtOnce);
    return { success: true, endedEntitlements };
  }
}
