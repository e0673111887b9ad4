import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { deleteMailhook } from './mailhook.js';
import { type Mailhook, mailhooks } from './mailhook.record.js';

/** Deletes mailhooks. Their addresses and mail are deleted by the saga that follows the deletion. */
@Injectable()
export class MailhookDeletion {
  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
  ) {}

  /** Deletes the mailhooks of a deleted target. `callFor` gives the call for each id. May be repeated. */
  async ofTarget(
    workspaceId: string,
    targetRef: string,
    reason: 'function-deleted' | 'target-gone',
    callFor: (id: string) => Call,
  ): Promise<void> {
    for (const { id } of await this.reads.find<Mailhook>(workspaceId, 'mailhooks', { where: { targetRef } })) {
      await this.runner.change(callFor(id), { aggregate: mailhooks, id, decide: () => deleteMailhook(reason) });
    }
  }
}
