import { Injectable } from '@nestjs/common';
import { PaymentEffects } from '../areas/payments/payment/payment-effects.api.js';
import type { SitePaymentEvent } from '../areas/payments/payment/site-payment.record.js';
import type { Call } from '../engine/operation/call.js';
import type { Saga } from '../engine/saga.js';
import type { RecordedEvent } from '../kernel/event.js';
import { parseStream } from '../kernel/stream-name.js';

const reads: readonly SitePaymentEvent['type'][] = [
  'SitePaymentStarted',
  'SitePaymentFailed',
  'SitePaymentExpired',
  'SitePaymentApproved',
  'SitePaymentRejected',
  'SitePaymentHeardOf',
];

/** What was bought is granted, extended or taken back, and coupons are redeemed or freed. */
@Injectable()
export class PaymentsGiveWhatWasBought implements Saga {
  readonly name = 'payments-give-what-was-bought';
  readonly reads = reads;

  constructor(private readonly effects: PaymentEffects) {}

  async react({ stream }: RecordedEvent, call: (step: string) => Call): Promise<void> {
    const { workspaceId, id } = parseStream(stream);
    await this.effects.follow(workspaceId, id, call);
  }
}
