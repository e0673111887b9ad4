import { derivedId } from '../../../kernel/event/derived-id.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../../../kernel/refusals/refusal.js';

/** What a coupon takes off: exactly one of the two is a number. */
export interface Discount {
  /** 1 to 100. */
  readonly percentOff: number | null;
  /** In minor units of `currency`. */
  readonly amountOff: number | null;
  /** Of `amountOff`, ISO 4217 in lower case; null beside a percentage. */
  readonly currency: string | null;
}

export interface CouponFacts extends Discount {
  /** Empty: for all offers. */
  readonly offerKeys: readonly string[];
  /** null: as often as one likes. */
  readonly maxRedemptions: number | null;
  readonly expiresAt: string | null;
  readonly isActive: boolean;
}

export interface CouponOf {
  readonly projectId: string;
  /** In upper case. */
  readonly code: string;
}

/** A checkout that is open, which has one redemption set aside. */
export interface CouponUse {
  readonly paymentId: string;
  readonly appUserId: string;
  readonly offerKey: string;
  /** When the redemption is free again by itself; null, of earlier versions: when the manual payment is decided. */
  readonly until: string | null;
}

type Use = CouponOf & Pick<CouponUse, 'paymentId' | 'appUserId' | 'offerKey'>;

export type CouponEvent =
  | DomainEvent<'CouponCreated', CouponOf & CouponFacts>
  | DomainEvent<'CouponChanged', CouponOf & Partial<CouponFacts>>
  | DomainEvent<'CouponReserved', CouponOf & CouponUse>
  /** Paid, or granted at once. Counted. */
  | DomainEvent<'CouponRedeemed', Use>
  /** The checkout expired or failed, or the manual payment was rejected. */
  | DomainEvent<'CouponReleased', Use>
  | DomainEvent<'CouponDeleted', CouponOf>;

export interface Coupon extends Document, CouponOf, CouponFacts {
  /** How often it was redeemed. */
  readonly redemptions: number;
  /** Checkouts that are open, and for a while those whose time is up: their payment may still be told of. */
  readonly uses: readonly CouponUse[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** So many of those whose time is up are kept, the newest. */
const mostOver = 500;

export const coupons = plainRecord<Coupon, CouponEvent>()({
  category: 'coupon',
  auditedFor: 'site.read',
  shownBy: 'site/listCoupons',
  limited: true,
  within: 'project',
  undoing: {
    sets: ['site/updateCoupon'],
    makes: 'site/createCoupon',
    ends: 'site/deleteCoupon',
    returns: { type: 'CouponRestored' },
  },
  missing: () => refuse('coupon-not-found'),
  collection: { name: 'coupons', version: 1, indexes: [{ fields: ['workspaceId', 'projectId', 'createdAt'] }] },
  updatedAt: true,
  begins: { CouponCreated: { redemptions: 0, uses: [] } },
  merges: ['CouponChanged'],
  ends: ['CouponDeleted'],
  also: {
    CouponReserved: ({ uses }, { data: { projectId: _, code: __, ...use }, metadata: { at } }) => ({
      uses: [...without(withoutOld(uses, Date.parse(at)), use.paymentId), use],
    }),
    CouponRedeemed: ({ redemptions, uses }, { data }) => ({
      redemptions: redemptions + 1,
      uses: without(uses, data.paymentId),
    }),
    CouponReleased: ({ uses }, { data }) => ({ uses: without(uses, data.paymentId) }),
  },
});

/** The one stream of a code in a project: two who create it at once, and all who redeem it, meet there. */
export const couponId = ({ projectId, code }: CouponOf): string => derivedId('cpn', `${projectId}/${code}`);

/** Whether a redemption is set aside for it at this time. */
const isOpen = ({ until }: CouponUse, now: number): boolean => until === null || Date.parse(until) > now;

/** How many redemptions are set aside at this time. */
export const openUses = ({ uses }: Pick<Coupon, 'uses'>, now: number): number =>
  uses.filter((one) => isOpen(one, now)).length;

function withoutOld(uses: readonly CouponUse[], now: number): readonly CouponUse[] {
  const over = uses.filter((one) => !isOpen(one, now));
  if (over.length <= mostOver) return uses;
  const forgotten = new Set(over.slice(0, -mostOver));
  return uses.filter((one) => !forgotten.has(one));
}

const without = (uses: readonly CouponUse[], paymentId: string): readonly CouponUse[] =>
  uses.filter((one) => one.paymentId !== paymentId);
