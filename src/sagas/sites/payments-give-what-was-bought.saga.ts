import { Injectable } from '@nestjs/common';
import { PaymentEffects } from '../../areas/payments/payment/payment-effects.api.js';
import type { SitePaymentEvent } from '../../areas/payments/payment/site-payment.record.js';
import { TestMoney } from '../../areas/payments/payment/test-money.api.js';
import type { ProcessorConnectionEvent } from '../../areas/payments/processor/processor-connection.record.js';
import type { OperationContext } from '../../engine/operation/operation-context.js';
import type { Saga } from '../../engine/sagas/saga.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';

/** Payments that were decided while the coupon was deleted are counted then. */
const couponRestored = 'CouponRestored';
const modeSet: ProcessorConnectionEvent['type'] = 'ProcessorModeSet';
const ofPayments: readonly SitePaymentEvent['type'][] = [
  'SitePaymentStarted',
  'SitePaymentFailed',
  'SitePaymentExpired',
  'SitePaymentApproved',
  'SitePaymentRejected',
  'SitePaymentHeardOf',
];

/**
 * Handles one event at a time. A change of the processor's mode re-evaluates test payments, and no payment may be
 * handled concurrently with that.
 */
@Injectable()
export class PaymentsGiveWhatWasBought implements Saga {
  readonly name = 'payments-give-what-was-bought';
  readonly reads = [...ofPayments, modeSet, couponRestored];

  constructor(
    private readonly effects: PaymentEffects,
    private readonly testMoney: TestMoney,
  ) {}

  async react({ stream, type }: RecordedEvent, call: (step: string) => OperationContext): Promise<void> {
    const { workspaceId, id } = parseStream(stream);
    if (type === modeSet) await this.testMoney.follow(workspaceId, id, call);
    else if (type === couponRestored) await this.effects.settleUses(workspaceId, id, call);
    else await this.effects.follow(workspaceId, id, call);
  }
}
