import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { currencyOf } from '../../../kernel/money/currency.js';
import { differing, type Sent } from '../../../kernel/record/differing.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { mustBe } from '../../../kernel/text/must-be.js';
import { type Offer, type OfferEvent, type OfferFacts, type OfferTerms, offers } from './offer.record.js';

/** What callers send of an offer. */
export interface OfferInput extends Sent<Omit<OfferFacts, 'imageUrl' | 'features'>> {
  /** Empty: none. */
  readonly imageUrl?: string;
  readonly features?: readonly string[];
}

export function createOffer(
  before: Offer | undefined,
  { projectId, key, ...sent }: OfferInput & { readonly projectId: string; readonly key: string },
  termsId: string,
): readonly OfferEvent[] {
  if (before !== undefined) return refuse('offer-key-taken', { key });
  const facts: OfferFacts = {
    name: '',
    description: '',
    imageUrl: null,
    features: [],
    isActive: true,
    amount: 0,
    currency: 'usd',
    paymentTerm: 'one_time',
    accessTerm: 'lifetime',
    entitlementKey: key,
    ...factsOf(sent),
  };
  mustFit(facts);
  return [{ type: 'OfferCreated', data: { projectId, key, ...facts, termsId } }];
}

const termNames = ['amount', 'currency', 'paymentTerm', 'accessTerm', 'entitlementKey'] as const;

/** New terms are a fact of their own, with an id of their own. */
export function updateOffer(before: Offer, sent: OfferInput, termsId: string): readonly OfferEvent[] {
  const changed = differing<OfferFacts>(before, factsOf(sent));
  if (changed === undefined) return [];
  mustFit({ ...before, ...changed });
  const { projectId, key } = before;
  const isTerm = (name: string) => termNames.some((term) => term === name);
  const terms: Partial<OfferTerms> = Object.fromEntries(Object.entries(changed).filter(([name]) => isTerm(name)));
  const others: Partial<OfferFacts> = Object.fromEntries(Object.entries(changed).filter(([name]) => !isTerm(name)));
  return [
    ...(Object.keys(terms).length === 0
      ? []
      : [{ type: 'OfferTermsChanged' as const, data: { projectId, key, ...terms, termsId } }]),
    ...(Object.keys(others).length === 0
      ? []
      : [{ type: 'OfferChanged' as const, data: { projectId, key, ...others } }]),
  ];
}

export const deleteOffer = ({ projectId, key }: Offer): readonly OfferEvent[] => [
  { type: 'OfferDeleted', data: { projectId, key } },
];

/** @throws Refusal offer-not-found, offer-inactive */
export function sold(offer: Offer | undefined): Offer {
  if (offer === undefined) return offers.missing();
  return offer.isActive ? offer : refuse('offer-inactive', { key: offer.key });
}

const longestImageUrl = 2_000;
/** As JSON Schema: whether it can be parsed is judged as well. */
export const webAddressOrPath = String.raw`^$|^/(?![/\\])[^\s\\]*$|^[hH][tT][tT][pP][sS]?://[^\s\\]+$`;

/** Why this cannot be where a picture is: a page must never be made to run what stands there. */
export function wrongImageUrl(value: unknown): string | undefined {
  if (typeof value !== 'string') return mustBe('a string', value);
  if (value.length > longestImageUrl) return `must be at most ${longestImageUrl} characters`;
  if (value === '' || /^\/(?![/\\])[^\s\\]*$/.test(value)) return undefined;
  const isWeb = /^https?:\/\/[^\s\\]+$/i.test(value) && URL.canParse(value);
  return isWeb ? undefined : 'must be an https address, or a path of the site such as /images/gold.png';
}

export const mostFeatures = 100;
export const longestFeature = 500;

/** In the forms in which they are recorded. */
function factsOf({ currency, imageUrl, amount, ...sent }: OfferInput): Partial<OfferFacts> {
  return {
    ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)),
    // A zero with a sign is another number to some.
    ...(amount === undefined ? {} : { amount: amount + 0 }),
    ...(currency === undefined ? {} : { currency: currencyOf(currency) ?? currency }),
    ...(imageUrl === undefined ? {} : { imageUrl: imageUrl === '' ? null : imageUrl }),
  };
}

function mustFit({ accessTerm, paymentTerm }: OfferTerms): void {
  if (accessTerm !== 'while_subscribed' || paymentTerm !== 'one_time') return;
  refuseInput([
    { path: 'accessTerm', message: "'while_subscribed' needs a paymentTerm that recurs, { every, interval }" },
  ]);
}
