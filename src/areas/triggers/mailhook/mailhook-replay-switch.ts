import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { type ReplaySwitch, ReplaySwitches } from '../../../engine/replay-switches.js';
import { switchReplay } from './mailhook.js';
import { mailhooks } from './mailhook.record.js';

/** Whether mailhooks keep the inputs of their failed runs. The mails themselves have days of their own. */
@Injectable()
export class MailhookReplaySwitch implements ReplaySwitch {
  constructor(
    private readonly runner: CommandRunner,
    switches: ReplaySwitches,
  ) {
    switches.enter('mailhook', this);
  }

  async keepsInput(workspaceId: string, id: string): Promise<boolean | undefined> {
    return (await this.runner.find(mailhooks, workspaceId, id))?.keepInput;
  }

  async setKeepsInput(call: Call, id: string, keepInput: boolean): Promise<void> {
    await this.runner.change(call, {
      aggregate: mailhooks,
      id,
      decide: (mailhook) => (mailhook ? switchReplay(mailhook, keepInput) : []),
    });
  }
}
