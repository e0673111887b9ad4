import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import type { InboundEmail } from './inbound-email.record.js';
import { InboundJournal } from './inbound-journal.api.js';
import { RerunInboundEmail } from './mailhook.operations.js';
import { mailhooks } from './mailhook.record.js';
import { MailhookTargets } from './mailhook-targets.js';

/** The request is durable when it is answered; the run follows. It uses the mailhook's current target. */
@CommandHandler(RerunInboundEmail)
export class RerunInboundEmailHandler {
  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
    private readonly targets: MailhookTargets,
    private readonly journal: InboundJournal,
    private readonly scopes: Scopes,
  ) {}

  async execute(input: RerunInboundEmail): Promise<{ runId: string }> {
    const call = callOf(input);
    const { workspaceId } = call;
    const mail = await this.reads.get<InboundEmail>(workspaceId, 'inboundEmails', input.id);
    const mailhook = mail && (await this.runner.find(mailhooks, workspaceId, mail.mailhookId));
    if (mail === undefined || mailhook === undefined) return refuse('inbound-email-not-found');
    await this.scopes.admit(call, mailhooks, mailhook);
    if (mail.outcome === 'received') refuse('inbound-email-in-hand');
    if (mail.outcome === 'unparsable' || mail.outcome === 'not-kept') refuse('inbound-email-unreadable');
    const { targetKind, targetRef } = mailhook;
    await this.targets.require(call, { kind: targetKind, ref: targetRef });
    const narrowed = call.caller?.neverDeletes ? ({ neverDeletes: true } as const) : {};
    const runId = call.newId('run');
    await this.journal.write({
      workspaceId,
      mailhookId: mailhook.id,
      actor: call.actor,
      correlationId: call.correlationId,
      once: runId,
      event: {
        type: 'InboundEmailStarted',
        data: { mailId: mail.id, runId, targetKind, targetRef, rerun: true, ...narrowed },
      },
    });
    return { runId };
  }
}
