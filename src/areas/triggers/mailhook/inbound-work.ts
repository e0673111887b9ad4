import { Injectable, Logger } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { ShownWork } from '../../../engine/jobs/shown-job.js';
import { Journal } from '../../../engine/journal/journal.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { Clock } from '../../../ports/clock.port.js';
import { ForgottenRuns } from '../../functions/run/storage/forgotten-runs.api.js';
import { firstRunOf, type InboundEmail, type MailRun } from './inbound-email.record.js';
import { InboundForgetting } from './inbound-forgetting.api.js';
import { InboundSteps } from './inbound-steps.js';
import { type Mailhook, mailhooks } from './mailhook.record.js';

@Injectable()
export class InboundWork implements ShownWork<InboundEmail> {
  private readonly log = new Logger('Mail');

  constructor(
    private readonly runner: CommandRunner,
    private readonly journal: Journal,
    private readonly steps: InboundSteps,
    private readonly forgetting: InboundForgetting,
    private readonly forgotten: ForgottenRuns,
    private readonly clock: Clock,
  ) {}

  async attempt(mail: InboundEmail): Promise<void> {
    if (!mail.open) return;
    const { id, workspaceId, mailhookId } = mail;
    const mailhook = await this.runner.find(mailhooks, workspaceId, mailhookId);
    // The mailhook was deleted while this mail was being received, so the deletion missed the mail.
    if (mailhook === undefined) return this.forgetDeleted(mail);
    const began = this.clock.now();
    if (mail.outcome === 'received') await this.steps.settle(mail, mailhook);
    else for (const run of waiting(mail)) await this.startAgain(mail, mailhook, run);
    this.log.debug(`Mail ${id} of mailhook ${mailhookId} took ${this.clock.now() - began} ms.`);
  }

  private async startAgain(mail: InboundEmail, mailhook: Mailhook, run: MailRun): Promise<void> {
    if (await this.mayHaveEnded(mail, run)) return this.steps.giveUp(mail, run);
    await this.steps.start(mail, mailhook, run);
  }

  /** Whether an earlier version of the service may have removed the run without recording for the mail how it ended. */
  private async mayHaveEnded(
    { id, workspaceId, position }: InboundEmail,
    { runId, target }: MailRun,
  ): Promise<boolean> {
    if (target.kind !== 'site_function' || runId !== firstRunOf(id)) return false;
    return this.forgotten.mayMiss({ workspaceId, functionId: target.ref }, position);
  }

  /**
   * Forgets the mails of a deleted mailhook. Throws if the event log has no event of the mailhook, because such a log
   * is incomplete.
   */
  private async forgetDeleted({ workspaceId, mailhookId, position }: InboundEmail): Promise<void> {
    const last = await this.journal.last(streamOf(mailhooks.category, workspaceId, mailhookId));
    if (last === undefined)
      throw new Error(`The log has no events of mailhook ${mailhookId}, whose mail was to be processed.`);
    const until = { position: Math.max(position, last.position), at: last.metadata.at };
    await this.forgetting.allUpTo({ workspaceId, mailhookId, ...until });
  }
}

const waiting = ({ runs }: InboundEmail): readonly MailRun[] => runs.filter(({ accepted }) => !accepted);
