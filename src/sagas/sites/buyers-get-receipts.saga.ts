import { Injectable } from '@nestjs/common';
import { BuyerReceipts } from '../../areas/payments/payment/buyer-receipts.api.js';
import type { SitePaymentEvent } from '../../areas/payments/payment/site-payment.record.js';
import type { OperationContext } from '../../engine/operation/operation-context.js';
import type { Saga } from '../../engine/sagas/saga.js';
import type { RecordedEvent } from '../../kernel/event/event.js';

const reads = ['SitePaymentApproved', 'SitePaymentHeardOf'] as const satisfies readonly SitePaymentEvent['type'][];

@Injectable()
export class BuyersGetReceipts implements Saga {
  readonly name = 'buyers-get-receipts';
  readonly reads = reads;

  constructor(private readonly receipts: BuyerReceipts) {}

  async react(event: RecordedEvent, call: (step: string) => OperationContext): Promise<void> {
    await this.receipts.follow(event as never, call('receipt'));
  }
}
