import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../../test/support/depth.js';
import { recorded } from '../../../../test/support/given/given.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { createCoupon, reserveCoupon, settleCoupon, updateCoupon } from './coupon.js';
import { type Coupon, type CouponEvent, coupons } from './coupon.record.js';

const of = { projectId: 'proj_1', code: 'SPRING' };
const begin = Date.parse('2030-01-01T00:00:00Z');
const hour = 3_600_000;
const iso = (time: number) => new Date(time).toISOString();

type Move =
  | { readonly move: 'reserve'; readonly buyer: number; readonly manual: boolean; readonly offer: 'gold' | 'silver' }
  | { readonly move: 'redeem' | 'release'; readonly buyer: number }
  | { readonly move: 'limit'; readonly most: number }
  | { readonly move: 'switch'; readonly on: boolean }
  | { readonly move: 'wait'; readonly hours: number };

const buyer = fc.nat(7);
const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        move: fc.constant('reserve' as const),
        buyer,
        manual: fc.boolean(),
        offer: fc.constantFrom('gold' as const, 'silver' as const),
      }),
    },
    { weight: 4, arbitrary: fc.record({ move: fc.constantFrom('redeem' as const, 'release' as const), buyer }) },
    { weight: 1, arbitrary: fc.record({ move: fc.constant('limit' as const), most: fc.integer({ min: 1, max: 5 }) }) },
    { weight: 1, arbitrary: fc.record({ move: fc.constant('switch' as const), on: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ move: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 30 }) }) },
  ),
  { maxLength: 60 },
);

class Model {
  readonly open = new Map<string, number>();
  paid = 0;
  most = 2;
  isOn = true;

  apply(move: Move, now: number): string | boolean {
    switch (move.move) {
      case 'reserve': {
        const id = `pay_${move.buyer}`;
        if (this.open.has(id)) return false;
        if (!this.isOn) return 'coupon-inactive';
        if (move.offer === 'silver') return 'coupon-of-other-offers';
        const taken = [...this.open.values()].filter((until) => until > now).length;
        if (this.paid + taken >= this.most) return 'coupon-used-up';
        this.open.set(id, move.manual ? Number.POSITIVE_INFINITY : now + 24 * hour);
        return true;
      }
      case 'redeem':
      case 'release': {
        const had = this.open.delete(`pay_${move.buyer}`);
        if (had && move.move === 'redeem') this.paid += 1;
        return had;
      }
      case 'limit': {
        const differs = this.most !== move.most;
        this.most = move.most;
        return differs;
      }
      case 'switch': {
        const differs = this.isOn !== move.on;
        this.isOn = move.on;
        return differs;
      }
      case 'wait':
        return false;
    }
  }
}

function decide(coupon: Coupon, move: Move, now: number): readonly CouponEvent[] {
  switch (move.move) {
    case 'reserve': {
      const until = move.manual ? null : iso(now + 24 * hour);
      const use = { paymentId: `pay_${move.buyer}`, appUserId: `usr_${move.buyer}`, offerKey: move.offer, until };
      return reserveCoupon(coupon, { ...use, currency: 'usd' }, now);
    }
    case 'redeem':
      return settleCoupon(coupon, `pay_${move.buyer}`, 'CouponRedeemed');
    case 'release':
      return settleCoupon(coupon, `pay_${move.buyer}`, 'CouponReleased');
    case 'limit':
      return updateCoupon(coupon, { maxRedemptions: move.most });
    case 'switch':
      return updateCoupon(coupon, { isActive: move.on });
    case 'wait':
      return [];
  }
}

function evolved(before: Coupon | undefined, events: readonly CouponEvent[], now: number): Coupon {
  let state = before;
  for (const event of events) state = coupons.evolve(state, recorded('coupon', event, 0, { at: iso(now) }));
  if (state === undefined) throw new Error('There is no coupon.');
  return state;
}

const created = () =>
  evolved(undefined, createCoupon(undefined, { ...of, percentOff: 10, maxRedemptions: 2, offerKeys: ['gold'] }), begin);

describe('a coupon, after any operations', () => {
  it('has the counts and limits of a simple model', () => {
    fc.assert(
      fc.property(moves, (all) => {
        let now = begin;
        let coupon = created();
        const model = new Model();
        for (const move of all) {
          if (move.move === 'wait') now += move.hours * hour;
          const expected = model.apply(move, now);
          let outcome: string | boolean;
          try {
            const events = decide(coupon, move, now);
            coupon = evolved(coupon, events, now);
            outcome = events.length > 0;
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            outcome = error.code;
          }
          expect([move, outcome]).toEqual([move, expected]);
          expect([coupon.redemptions, coupon.maxRedemptions]).toEqual([model.paid, model.most]);
          expect(new Set(coupon.uses.map(({ paymentId }) => paymentId))).toEqual(new Set(model.open.keys()));
        }
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('is never redeemed more often than its limit, if that is unchanged and payments arrive in time', () => {
    fc.assert(
      fc.property(moves, (all) => {
        let coupon = created();
        for (const move of all) {
          if (move.move === 'limit' || move.move === 'wait') continue;
          try {
            coupon = evolved(coupon, decide(coupon, move, begin), begin);
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
          }
          expect(coupon.redemptions + coupon.uses.length).toBeLessThanOrEqual(2);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('forgets all but the newest five hundred expired checkouts', () => {
    let coupon = evolved(undefined, createCoupon(undefined, { ...of, percentOff: 10 }), begin);
    for (let n = 0; n < 1_200; n++) {
      const use = { paymentId: `pay_${n}`, appUserId: 'usr_1', offerKey: 'gold', until: iso(begin + n + 1) };
      coupon = evolved(coupon, reserveCoupon(coupon, { ...use, currency: 'usd' }, begin + n), begin + n);
    }
    const kept = coupon.uses.map(({ paymentId }) => paymentId);
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([501, 'pay_699', 'pay_1199']);
  });
});
