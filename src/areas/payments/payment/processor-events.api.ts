import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { Clock } from '../../../ports/clock.port.js';
import {
  PaymentProcessor,
  type ProcessorEvent,
  ProcessorEventNotVerified,
  type ProcessorNews,
} from '../../../ports/network/payment-processor.port.js';
import { refuse } from '../payments.refusals.js';
import { ProcessorAccounts } from '../processor/processor-accounts.api.js';
import type { FoundWebhook } from '../processor/processor-webhooks.api.js';
import { factIn } from './processor-facts.js';
import { recordReport } from './site-payment.js';
import { sitePayments } from './site-payment.record.js';

interface About {
  readonly paymentId: string | null;
  readonly invoiceId: string | null;
}

/** Form of a payment's id. Other text in the event's metadata comes from other software and is ignored. */
const paymentForm = /^pay_[A-Za-z0-9_-]{1,100}$/;

/**
 * Records what the processor reports about payments. Each fact is recorded once, and events can arrive in any order.
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
   * Resolves once the event is durably recorded or ignored.
   * @param body exactly the bytes received
   * @throws Refusal After any refusal, the processor sends the event again.
   */
  async receive(webhook: FoundWebhook, body: Uint8Array, signature: string | undefined): Promise<void> {
    const event = await this.verified(webhook, body, signature);
    if (event.mode !== webhook.mode) refuse('processor-event-of-other-mode', { mode: webhook.mode });
    const { news } = event;
    if (news === undefined) return;
    const { paymentId, invoiceId } = await this.about(webhook, event, news);
    if (paymentId === null || !paymentForm.test(paymentId)) return;
    const { workspaceId, projectId, mode } = webhook;
    // Read from the log, because the read model can lag behind and the processor does not repeat an acknowledged event.
    const known = await this.runner.find(sitePayments, workspaceId, paymentId);
    // The account can also receive money for other sites and purposes, so events about other payments are ignored.
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
        return fact === undefined ? [] : recordReport(payment, { processorEventId: event.id, fact, now, noticeId });
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

  /** Refunds and disputes of a subscription name only the charge, so the processor is asked for the invoice. */
  private async about(webhook: FoundWebhook, event: ProcessorEvent, news: ProcessorNews): Promise<About> {
    const own = { paymentId: event.paymentId, invoiceId: null };
    if (own.paymentId !== null || (news.kind !== 'refund' && news.kind !== 'dispute')) return own;
    const { paymentIntent } = news;
    if (paymentIntent === null) return own;
    return this.accounts.request(webhook, (processor, account) => processor.paidFor(account, paymentIntent));
  }
}

/**
 * Whether the news can give access. On a live site, such news about test payments is ignored, but news that withdraws
 * access always applies.
 */
function gives(news: ProcessorNews): boolean {
  switch (news.kind) {
    case 'checkout':
      return news.state === 'paid' || news.state === 'awaited';
    case 'invoice':
      return true;
    case 'subscription':
      return !news.ended;
    case 'refund':
    case 'dispute':
      return false;
  }
}
