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
    summary: 'Lists what a project sells or sold, the oldest first, with all terms.',
  }),
  offer.create('site/createOffer', {
    summary: 'Offers something for sale: a purchase entitles to its entitlementKey, which conditions ask for.',
    risky: true,
    decide: (sent, call, before) => createOffer(before, sent, call.newId('trm')),
  }),
  offer.update('site/updateOffer', {
    summary: 'Updates an offer: new terms are those of later purchases, and inactive it is not sold.',
    risky: true,
    decide: (before, sent, call) => updateOffer(before, sent, call.newId('trm')),
  }),
  offer.remove('site/deleteOffer', {
    summary: 'Deletes an offer: pages that name its key fail, and what was bought stays. Better make it inactive.',
  }),
];
