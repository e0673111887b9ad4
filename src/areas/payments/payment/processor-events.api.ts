import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import {
  PaymentProcessor,
  type ProcessorEvent,
  ProcessorEventNotVerified,
  type ProcessorNews,
} from '../../../ports/payment-processor.port.js';
import { refuse } from '../payments.refusals.js';
import { ProcessorAccounts } from '../processor/processor-accounts.api.js';
import type { FoundWebhook } from '../processor/processor-webhooks.api.js';
import { factIn } from './processor-facts.js';
import { hearOfPayment } from './site-payment.js';
import { sitePayments } from './site-payment.record.js';

/** Which payment of ours an event is about, and which of its invoices. */
interface About {
  readonly paymentId: string | null;
  readonly invoiceId: string | null;
}

/** Strangers may write another text where our ids stand. */
const paymentForm = /^pay_[A-Za-z0-9_-]{1,100}$/;

/**
 * Events of the processor become facts of the payments that they are about, each once, in whatever order they come. What
 * follows from them is a saga's work.
 */
@Injectable()
export class ProcessorEvents {
  constructor(
    private readonly processor: PaymentProcessor,
    private readonly accounts: ProcessorAccounts,
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
    private readonly clock: Clock,
  ) {}

  /**
   * `body`: exactly the bytes received. Resolves when what the event says is durably recorded, or is of no interest.
   * @throws Refusal processor-event-not-verified, processor-event-of-other-mode, and `unavailable` ones, after which the
   * processor sends it again
   */
  async receive(webhook: FoundWebhook, body: Uint8Array, signature: string | undefined): Promise<void> {
    const event = await this.verified(webhook, body, signature);
    if (event.mode !== webhook.mode) refuse('processor-event-of-other-mode', { mode: webhook.mode });
    const { news } = event;
    if (news === undefined) return;
    const { paymentId, invoiceId } = await this.about(webhook, event, news);
    if (paymentId === null || !paymentForm.test(paymentId)) return;
    const { workspaceId, projectId, mode } = webhook;
    // From the log: an event that is answered does not come again, also where the read model is behind or being rebuilt.
    const known = await this.runner.find(sitePayments, workspaceId, paymentId);
    // The account may take money for other things, and for other sites, too.
    if (known?.projectId !== projectId || known.mode !== mode || known.method !== 'processor') return;
    if (mode === 'test' && gives(news) && (await this.accounts.modeOf(workspaceId, projectId)) === 'live') return;
    const now = this.clock.now();
    const at = news.kind === 'invoice' ? news.at : event.createdAt;
    const call = this.calls.once(workspaceId, systemActor('payment-processor'), 'payments/processor-webhook');
    const noticeId = call.newId('no');
    await this.runner.change(call, {
      aggregate: sitePayments,
      id: paymentId,
      decide: (before) => {
        const payment = before ?? sitePayments.missing();
        const fact = factIn(payment, { news, at, invoiceId });
        return fact === undefined ? [] : hearOfPayment(payment, { processorEventId: event.id, fact, now, noticeId });
      },
    });
  }

  private async verified(
    { secret }: FoundWebhook,
    body: Uint8Array,
    signature: string | undefined,
  ): Promise<ProcessorEvent> {
    try {
      return await this.processor.eventOf(body, signature, secret, this.clock.now());
    } catch (error) {
      if (error instanceof ProcessorEventNotVerified) return refuse('processor-event-not-verified');
      throw error;
    }
  }

  /** Refunds and disputes of a subscription name only the money that they are about: the processor knows what it was for. */
  private async about(webhook: FoundWebhook, event: ProcessorEvent, news: ProcessorNews): Promise<About> {
    const own = { paymentId: event.paymentId, invoiceId: null };
    if (own.paymentId !== null || (news.kind !== 'refund' && news.kind !== 'dispute')) return own;
    const { paymentIntent } = news;
    if (paymentIntent === null) return own;
    try {
      return await this.accounts.ask(webhook, (processor, account) => processor.paidFor(account, paymentIntent));
    } catch (error) {
      // Money of another account, or of what is there no more, is none of ours.
      if (error instanceof Refusal && error.code === 'processor-refused') return own;
      throw error;
    }
  }
}

/** Once a site sells for real, test money gives nothing any more. What takes access back still counts. */
function gives(news: ProcessorNews): boolean {
  switch (news.kind) {
    case 'checkout':
    case 'invoice':
      return true;
    case 'subscription':
      return !news.ended;
    case 'refund':
    case 'dispute':
      return false;
  }
}
