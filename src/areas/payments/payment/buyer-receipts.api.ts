import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Recorded } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { inPrint } from '../../../kernel/money/currency.js';
import { SiteUsers } from '../../app-users/app-user/site-users.api.js';
import { SiteMail } from '../../app-users/auth-mail/site-mail.api.js';
import { greetedName } from '../../app-users/sign-in/greeted-name.api.js';
import { type SitePayment, type SitePaymentEvent, sitePayments } from './site-payment.record.js';

type Paid = Recorded<Extract<SitePaymentEvent, { type: 'SitePaymentApproved' | 'SitePaymentHeardOf' }>>;

@Injectable()
export class BuyerReceipts {
  constructor(
    private readonly runner: CommandRunner,
    private readonly users: SiteUsers,
    private readonly mail: SiteMail,
  ) {}

  /** Sends no receipt if no amount was received or the buyer was deleted. Idempotent. */
  async follow(event: Paid, call: OperationContext): Promise<void> {
    const amount = amountIn(event);
    if (amount === 0) return;
    const { workspaceId, id } = parseStream(event.stream);
    const payment = await this.runner.find(sitePayments, workspaceId, id);
    const user = payment && (await this.users.find(workspaceId, payment.appUserId));
    if (payment === undefined || user === undefined) return;
    const { id: userId, projectId, email: to } = user;
    const userName = greetedName(user);
    const lines = linesOf(payment, amount, event.metadata.at);
    await this.mail.send({ workspaceId, projectId, kind: 'receipt', to, userName, userId, lines }, call);
  }
}

/** The invoices of a subscription can have different amounts, so each invoice's own amount is used. */
function amountIn({ type, data }: Paid): number {
  if (type === 'SitePaymentApproved') return data.amount;
  if (data.news !== 'succeeded') return 0;
  return data.fact.kind === 'invoice-paid' ? data.fact.amount : data.amount;
}

function linesOf(payment: SitePayment, amount: number, at: string): readonly string[] {
  const { id, offerName, currency, mode, couponCode, discount } = payment;
  const date = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(at));
  return [
    `${offerName}: ${inPrint(amount, currency)}`,
    // The coupon is mentioned only if the discounted amount was paid, because the discount applies only to the first
    // payment.
    ...(couponCode === null || amount !== payment.amount
      ? []
      : [`Discount with the coupon ${couponCode}: ${inPrint(discount, currency)}`]),
    `Date: ${date}`,
    `Payment: ${id}`,
    ...(mode === 'test' ? ['This was a test; no money was charged.'] : []),
  ];
}
