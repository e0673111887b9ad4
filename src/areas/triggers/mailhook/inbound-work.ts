import { Injectable, Logger } from '@nestjs/common';
import type { Duty } from '../../../engine/cluster/lease-keeper.js';
import { Outages } from '../../../engine/cluster/outages.js';
import { settlingDuty } from '../../../engine/cluster/settling.js';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { LogHead } from '../../../engine/messages/log-head.js';
import { LostMessages } from '../../../engine/messages/lost-messages.js';
import { Watermark } from '../../../engine/read-models/watermark.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { Clock } from '../../../ports/clock.port.js';
import { Leases } from '../../../ports/leases.port.js';
import { type Consumption, type Message, Messages } from '../../../ports/messages.port.js';
import type { InboundEmail, MailRun } from './inbound-email.record.js';
import { InboundForgetting } from './inbound-forgetting.api.js';
import { inboundStream } from './inbound-journal.api.js';
import { type InboundMessage, inboundRequests } from './inbound-requests.api.js';
import { InboundSteps } from './inbound-steps.js';
import { mailhooks } from './mailhook.record.js';
import { QueuedMails } from './queued-mails.js';

/** How many mailhooks are handled at once. Parsing and runs have limits of their own. */
const atOnce = 8;
const graceMs = 10_000;

/** Handles received mail: parses it and starts its target. */
@Injectable()
export class InboundWork {
  private readonly log = new Logger('Mail');
  private consumption: Consumption | undefined;
  private stopping = new AbortController();

  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
    private readonly loader: AggregateLoader,
    private readonly steps: InboundSteps,
    private readonly forgetting: InboundForgetting,
    private readonly messages: Messages,
    private readonly watermark: Watermark,
    private readonly clock: Clock,
    private readonly outages: Outages,
    private readonly queued: QueuedMails,
    private readonly head: LogHead,
    private readonly leases: Leases,
    private readonly lost: LostMessages,
  ) {}

  async start(): Promise<void> {
    this.stopping = new AbortController();
    const { signal } = this.stopping;
    await this.lost.publishAgain('inboundEmails', () => this.queued.publishAll(), signal);
    this.consumption = await this.messages.consume({
      topic: inboundRequests,
      concurrency: atOnce,
      handle: (message) => this.outages.lasting(() => this.handle(message), signal),
      queued: (_key, known, limit) => this.outages.lasting(() => this.queued.next(known, limit), signal),
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.consumption?.stop(graceMs);
    this.consumption = undefined;
  }

  /** One process looks after the mail of all processes. */
  settling(): Duty {
    const { clock, leases } = this;
    const publishAgain = () => this.queued.settle();
    return settlingDuty({ name: 'open-mail', what: 'Open mail', clock, leases, publishAgain });
  }

  private async handle({ value }: Message): Promise<void> {
    const { workspaceId, mailhookId, mailId, position } = value as InboundMessage;
    if (!(await this.head.holds(inboundRequests, position, 'inboundEmails'))) return;
    const stream = inboundStream(workspaceId, mailhookId);
    this.watermark.appended(position, [{ stream, type: 'InboundEmailReceived' }]);
    const mail = await this.reads.get<InboundEmail>(workspaceId, 'inboundEmails', mailId);
    if (mail === undefined && !this.watermark.isCurrent('inboundEmails')) {
      throw new Error(`The read models do not show mail ${mailId} yet.`);
    }
    if (mail === undefined || !mail.open) return;
    const mailhook = await this.runner.find(mailhooks, workspaceId, mailhookId);
    // The mailhook was deleted while the mail came in, so the cleanup after the deletion missed this mail.
    if (mailhook === undefined) return this.forgetDeleted(workspaceId, mailhookId);
    const began = this.clock.now();
    if (mail.outcome === 'received') await this.steps.settle(mail, mailhook);
    else for (const run of waiting(mail)) await this.steps.start(mail, mailhook, run);
    this.log.debug(`Mail ${mailId} of mailhook ${mailhookId} took ${this.clock.now() - began} ms.`);
  }

  /** Mails are destroyed only for a mailhook that is known to have been there and to have been deleted. */
  private async forgetDeleted(workspaceId: string, mailhookId: string): Promise<void> {
    const { revision } = await this.loader.load(mailhooks, streamOf(mailhooks.category, workspaceId, mailhookId));
    if (revision >= 0) return this.forgetting.all(workspaceId, mailhookId);
    throw new Error(`The log holds nothing of mailhook ${mailhookId}, whose mail was to be handled.`);
  }
}

const waiting = ({ runs }: InboundEmail): readonly MailRun[] => runs.filter(({ accepted }) => !accepted);
