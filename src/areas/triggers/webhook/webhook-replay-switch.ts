import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { type ReplaySwitch, ReplaySwitches } from '../../../engine/replay-switches.js';
import { switchReplay } from './webhook.js';
import { webhooks } from './webhook.record.js';

/** Whether webhooks keep the inputs of their failed runs. */
@Injectable()
export class WebhookReplaySwitch implements ReplaySwitch {
  constructor(
    private readonly runner: CommandRunner,
    switches: ReplaySwitches,
  ) {
    switches.enter('webhook', this);
  }

  async keepsInput(workspaceId: string, id: string): Promise<boolean | undefined> {
    return (await this.runner.find(webhooks, workspaceId, id))?.keepInput;
  }

  async setKeepsInput(call: Call, id: string, keepInput: boolean): Promise<void> {
    await this.runner.change(call, {
      aggregate: webhooks,
      id,
      decide: (webhook) => (webhook ? switchReplay(webhook, keepInput) : []),
    });
  }
}
