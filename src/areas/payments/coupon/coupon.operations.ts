import { resource } from '../../../engine/records/resource.js';
import { createCoupon, updateCoupon } from './coupon.js';
import { type CouponOf, couponId, coupons, openUses } from './coupon.record.js';
import { couponCodeOf } from './coupon-code.js';

const coupon = resource(coupons, {
  source: 'Sites API, Offers and coupons',
  group: 'coupons',
  tools: 'granted',
  reads: 'site.read',
  edits: 'site.edit',
  id: couponId,
  /** No coupon can have an invalid code, so an invalid one is answered as if no coupon had it. */
  keys: ({ projectId, code }): CouponOf => ({ projectId, code: couponCodeOf(code) ?? coupons.missing() }),
  answer: { called: 'CouponRecord' },
});

export const couponOperations = [
  coupon.list('site/listCoupons', {
    summary: 'Lists the coupons of a project, the oldest first, with how often each was redeemed.',
    shows: {
      called: 'ListedCoupon',
      also: {
        reserved: {
          type: 'integer',
          description: 'Redemptions that open checkouts and manual payments have set aside.',
        },
      },
    },
    showing: (one, { at }) => ({ reserved: openUses(one, Date.parse(at)) }),
  }),
  coupon.create('site/createCoupon', {
    summary: 'Creates a coupon, which takes a percentage or an amount off the price of a purchase.',
    risky: true,
    decide: (sent, _, before) => createCoupon(before, sent),
  }),
  coupon.update('site/updateCoupon', {
    summary: 'Updates a coupon; inactive it is worth nothing from then on. Past redemptions stay.',
    risky: true,
    decide: updateCoupon,
  }),
  coupon.remove('site/deleteCoupon', {
    summary: 'Deletes a coupon. Checkouts that are open with it keep their price.',
  }),
];
