import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Outages } from '../../../engine/cluster/outages.js';
import { SoleSweep } from '../../../engine/cluster/sole-sweep.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { dueRecords } from '../../../engine/read-models/due-records.js';
import { Clock } from '../../../ports/clock.port.js';
import { type Consumption, type Message, Messages } from '../../../ports/messages.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { tellOfOutgoingMail } from './outgoing-mail.js';
import { outgoingMails } from './outgoing-mail.record.js';
import { QueuedSiteMails } from './queued-site-mails.js';
import { settleSiteMail } from './site-mail.js';
import { type SiteMailInHand, siteMails } from './site-mail.record.js';
import { SiteMailContents } from './site-mail-content.js';
import { SiteMailEnding } from './site-mail-ending.api.js';
import { type SiteMailMessage, siteMailMessage, siteMailRequests } from './site-mail-requests.api.js';
import { type Made, SiteMailSender } from './site-mail-sender.js';

const tooLate: Made = { sent: false, error: 'Its link ended before the mail could be sent.', again: false };

/** How many sites send at once. */
const atOnce = 16;
const graceMs = 10_000;
const page = 200;

/** Sends mail of sites, tries again what could not be sent, and destroys what nobody wants any more. */
@Injectable()
export class SiteMailWork {
  private readonly log = new Logger('SiteMail');
  private consumption: Consumption | undefined;
  private stopping = new AbortController();
  private readonly timed = new SoleSweep(
    () => this.sweep(),
    (reason) => this.log.warn(`Mail of sites that is due could not be looked up: ${reason}`),
  );

  constructor(
    private readonly store: ReadStore,
    private readonly runner: CommandRunner,
    private readonly contents: SiteMailContents,
    private readonly sender: SiteMailSender,
    private readonly ending: SiteMailEnding,
    private readonly messages: Messages,
    private readonly calls: Calls,
    private readonly clock: Clock,
    private readonly outages: Outages,
    private readonly queued: QueuedSiteMails,
  ) {}

  async start(): Promise<void> {
    // Messages that were lost with their process.
    if (!this.messages.durable) await this.sweep();
    this.stopping = new AbortController();
    const { signal } = this.stopping;
    this.consumption = await this.messages.consume({
      topic: siteMailRequests,
      concurrency: atOnce,
      handle: (message) => this.outages.lasting(() => this.handle(message), signal),
      queued: (key, _known, limit) => this.outages.lasting(() => this.queued.next(key, limit), signal),
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.consumption?.stop(graceMs);
    this.consumption = undefined;
    await this.timed.ended();
  }

  /** Where the messages are handled: those that stay within a process are published in that one. */
  @Interval('site-mail', 2_000)
  now(): Promise<void> {
    return this.timed.begin(this.consumption !== undefined);
  }

  /** Hands over all that is to be tried again, and forgets what was kept for a day. */
  async sweep(): Promise<void> {
    const now = this.clock.now();
    const due = { field: 'dueAt', now, page } as const;
    for await (const some of dueRecords<SiteMailInHand, 'dueAt'>(this.store, 'siteMails', due)) {
      for (const mail of some) {
        if (Date.parse(mail.expiresAt) <= now) await this.ending.expire(this.call(mail.workspaceId), mail.id);
        else if (mail.status !== 'kept') await this.messages.publish(siteMailRequests, siteMailMessage(mail));
      }
    }
  }

  private async handle({ value }: Message): Promise<void> {
    const { workspaceId, mailId } = value as SiteMailMessage;
    const mail = await this.runner.find(siteMails, workspaceId, mailId);
    if (mail === undefined || mail.status === 'kept' || Date.parse(mail.dueAt) > this.clock.now()) return;
    const content = await this.contents.open(workspaceId, mailId);
    // It ended in the vault by itself.
    if (content === undefined) return this.ending.expire(this.call(workspaceId), mailId);
    const isLate = Date.parse(mail.sendUntil) <= this.clock.now();
    const { notice, ...attempt } = isLate ? tooLate : await this.sender.attempt(mail, content);
    if (notice !== undefined) await this.tell(mail, notice);
    const after = await this.runner.change(this.call(workspaceId), {
      aggregate: siteMails,
      id: mailId,
      begins: 'perhaps',
      decide: (now) => settleSiteMail(now, attempt, this.clock.now()),
    });
    if (after === undefined) await this.contents.destroy(workspaceId, mailId);
  }

  private async tell({ workspaceId, projectId }: SiteMailInHand, summary: string): Promise<void> {
    const name = await this.sender.nameOf(workspaceId, projectId);
    if (name === undefined) return;
    const call = this.call(workspaceId);
    const telling = { projectId, name, summary, noticeId: call.newId('no'), now: this.clock.now() };
    await this.runner.change(call, {
      aggregate: outgoingMails,
      id: projectId,
      begins: 'perhaps',
      decide: (before) => tellOfOutgoingMail(before, telling),
    });
  }

  private call(workspaceId: string) {
    return this.calls.once(workspaceId, systemActor('site-mail'), 'site-mail');
  }
}
