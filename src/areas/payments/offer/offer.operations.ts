import { resource } from '../../../engine/records/resource.js';
import { createOffer, updateOffer } from './offer.js';
import { offerId, offers } from './offer.record.js';

const offer = resource(offers, {
  source: 'Sites API, Offers and coupons',
  group: 'offers',
  tools: 'granted',
  reads: 'site.read',
  edits: 'site.edit',
  id: offerId,
  answer: {
    called: 'OfferRecord',
    order: [
      ...['key', 'name', 'description', 'amount', 'currency', 'paymentTerm', 'accessTerm', 'entitlementKey'],
      ...['imageUrl', 'features', 'isActive'],
    ],
    dates: ['createdAt', 'updatedAt'],
  },
});

export const OfferRecord = offer.shape;

export const offerOperations = [
  offer.list('site/listOffers', {
    summary: 'Lists the offers of a project, oldest first, including those that are no longer sold.',
  }),
  offer.create('site/createOffer', {
    summary: 'Creates an offer. A purchase grants its entitlementKey, for which conditions can test.',
    risky: true,
    decide: (sent, call, before) => createOffer(before, sent, call.newId('trm')),
  }),
  offer.update('site/updateOffer', {
    summary: 'Updates an offer. Changed terms apply to later purchases only, and an inactive offer is not sold.',
    risky: true,
    decide: (before, sent, call) => updateOffer(before, sent, call.newId('trm')),
  }),
  offer.remove('site/deleteOffer', {
    summary:
      'Deletes an offer. Pages that use its key fail; past purchases are not affected. Consider making it inactive instead.',
  }),
];
