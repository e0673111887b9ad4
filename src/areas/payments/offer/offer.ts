import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { differing } from '../../../kernel/record/differing.js';
import { refuse } from '../payments.refusals.js';
import {
  type NewOffer,
  type Offer,
  type OfferEvent,
  type OfferInput,
  type OfferTerms,
  offers,
} from './offer.record.js';

export function createOffer(before: Offer | undefined, sent: NewOffer, termsId: string): readonly OfferEvent[] {
  const { key, entitlementKey = key } = sent;
  if (before !== undefined) return refuse('offer-key-taken', { key });
  mustFit(sent);
  return offers.created({ ...sent, entitlementKey, termsId });
}

export function updateOffer(before: Offer, sent: OfferInput, termsId: string): readonly OfferEvent[] {
  const { amount, currency, paymentTerm, accessTerm, entitlementKey, ...others } = sent;
  const changed = offers.changed(before, others);
  const terms = differing<OfferTerms>(before, { amount, currency, paymentTerm, accessTerm, entitlementKey });
  if (terms === undefined) return changed;
  mustFit({ ...before, ...terms });
  return [{ type: 'OfferTermsChanged', data: { ...offers.keysOf(before), ...terms, termsId } }, ...changed];
}

/** @throws Refusal offer-not-found, offer-inactive */
export function sold(offer: Offer | undefined): Offer {
  if (offer === undefined) return offers.missing();
  return offer.isActive ? offer : refuse('offer-inactive', { key: offer.key });
}

function mustFit({ accessTerm, paymentTerm = 'one_time' }: Partial<OfferTerms>): void {
  if (accessTerm !== 'while_subscribed' || paymentTerm !== 'one_time') return;
  refuseInput([
    { path: 'accessTerm', message: "'while_subscribed' requires a recurring paymentTerm, { every, interval }" },
  ]);
}
