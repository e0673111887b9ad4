import { derivedId } from '../../../kernel/event/derived-id.js';
import type { ProcessorProduct, WantedProduct } from '../../../ports/payment-processor.port.js';
import type { Offer } from '../offer/offer.record.js';

/** An offer as a product under an id of ours, so that a second time changes only what differs. */
export function productOf({ projectId, key, name, description, ...offer }: Offer): WantedProduct {
  const { amount, currency, paymentTerm, imageUrl, isActive: active } = offer;
  const billing = paymentTerm === 'one_time' ? null : { interval: paymentTerm.interval, count: paymentTerm.every };
  // A path of the site means nothing elsewhere.
  const image = imageUrl?.startsWith('https://') ? imageUrl : null;
  const id = derivedId('countersign', `${projectId}/${key}`);
  return { id, name, description, imageUrl: image, active, price: { amount, currency, billing } };
}

export function shownProduct({ price, ...product }: ProcessorProduct) {
  const { amount = null, currency = null, billing = null } = price ?? {};
  const { interval = null, count: intervalCount = null } = billing ?? {};
  return { ...product, amount, currency, interval, intervalCount };
}
