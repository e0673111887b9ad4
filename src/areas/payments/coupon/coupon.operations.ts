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
  keys: ({ projectId, code }): CouponOf => ({ projectId, code: couponCodeOf(code) ?? coupons.missing() }),
  answer: { called: 'CouponRecord' },
});

export const couponOperations = [
  coupon.list('site/listCoupons', {
    summary: 'Lists the coupons of a project, oldest first, with the number of redemptions of each.',
    shows: {
      called: 'ListedCoupon',
      also: {
        reserved: {
          type: 'integer',
          description: 'Number of redemptions reserved by open checkouts and pending manual payments.',
        },
      },
    },
    showing: (one, { at }) => ({ reserved: openUses(one, Date.parse(at)) }),
  }),
  coupon.create('site/createCoupon', {
    summary: 'Creates a coupon, which takes a percentage or a fixed amount off the price of a purchase.',
    risky: true,
    decide: (sent, _, before) => createCoupon(before, sent),
  }),
  coupon.update('site/updateCoupon', {
    summary:
      'Updates a coupon. Changes apply to later checkouts, and an inactive coupon cannot be used in them. Past redemptions are not affected.',
    risky: true,
    decide: updateCoupon,
  }),
  coupon.remove('site/deleteCoupon', {
    summary: 'Deletes a coupon. Checkouts already open with the coupon keep their price.',
  }),
];
