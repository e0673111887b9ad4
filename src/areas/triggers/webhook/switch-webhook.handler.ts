import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { StartableTargets } from '../../../engine/startable-targets.js';
import { switchWebhook } from './webhook.js';
import { SetWebhookActive } from './webhook.operations.js';
import { targetOf, webhooks } from './webhook.record.js';

/** Switched on, it starts its target, so whoever does that has to be one who may. */
@CommandHandler(SetWebhookActive)
export class SetWebhookActiveHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly targets: StartableTargets,
  ) {}

  async execute(input: SetWebhookActive): Promise<{ success: true }> {
    const call = callOf(input);
    const { id, isActive } = input;
    const found = (await this.runner.find(webhooks, call.workspaceId, id)) ?? webhooks.missing();
    const judge = await this.targets.judge(call, targetOf(found));
    await this.runner.change(call, {
      aggregate: webhooks,
      id,
      decide: (webhook) => {
        const events = webhook ? switchWebhook(webhook, isActive) : [];
        if (isActive && events.length > 0) judge();
        return events;
      },
    });
    return { success: true };
  }
}
