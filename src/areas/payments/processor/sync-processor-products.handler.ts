import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { derivedId } from '../../../kernel/event/derived-id.js';
import type { WantedProduct } from '../../../ports/payment-processor.port.js';
import type { Offer } from '../offer/offer.record.js';
import { Offers } from '../offer/offers.api.js';
import { SyncProcessorProducts } from './processor.operations.js';
import { ProcessorAccounts } from './processor-accounts.api.js';

/**
 * Offers become products under ids of ours, so that a second time changes only what differs. What is free has nothing to
 * sell there. A product whose offer is gone stays as it is.
 */
@CommandHandler(SyncProcessorProducts)
export class SyncProcessorProductsHandler {
  constructor(
    private readonly accounts: ProcessorAccounts,
    private readonly offers: Offers,
  ) {}

  async execute(input: SyncProcessorProducts): Promise<{ readonly success: true }> {
    const { workspaceId } = callOf(input);
    const { projectId } = input;
    const mode = await this.accounts.modeOf(workspaceId, projectId);
    const all = await this.offers.all(workspaceId, projectId);
    const wanted = all.filter(({ amount }) => amount > 0).map(productOf);
    await this.accounts.ask({ workspaceId, projectId, mode }, async (processor, account) => {
      for (const product of wanted) await processor.putProduct(account, product);
    });
    return { success: true };
  }
}

function productOf({ projectId, key, name, description, ...offer }: Offer): WantedProduct {
  const { amount, currency, paymentTerm, imageUrl, isActive: active } = offer;
  const billing = paymentTerm === 'one_time' ? null : { interval: paymentTerm.interval, count: paymentTerm.every };
  // A path of the site means nothing elsewhere.
  const image = imageUrl?.startsWith('https://') ? imageUrl : null;
  const id = derivedId('countersign', `${projectId}/${key}`);
  return { id, name, description, imageUrl: image, active, price: { amount, currency, billing } };
}
