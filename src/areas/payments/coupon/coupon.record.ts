import { derivedId } from '../../../kernel/event/derived-id.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import {
  boolean,
  currencyCode,
  dateTime,
  fieldOf,
  id,
  integer,
  minorUnits,
  texts,
} from '../../../kernel/noun/fields.js';
import { noun } from '../../../kernel/noun/noun.js';
import type {
  CreateInput,
  FieldsOf,
  KeysOf,
  NounEvents,
  RecordOf,
  UpdateInput,
} from '../../../kernel/noun/noun-types.js';
import { refuse } from '../payments.refusals.js';
import { couponCode } from './coupon-code.js';

export interface CouponUse {
  readonly paymentId: string;
  readonly appUserId: string;
  readonly offerKey: string;
  /**
   * Expiry of the reservation. Earlier versions of the service recorded `null` for manual payments, which were reserved
   * until they were approved or rejected.
   */
  readonly until: string | null;
}

const discountFields = {
  percentOff: integer(1, 100).nullable().describe({
    create: 'Discount in percent. Exactly one of percentOff and amountOff is required.',
    update: 'Discount in percent. Replaces amountOff; must not be sent together with it.',
  }),
  amountOff: minorUnits(1).nullable().describe({
    create:
      'Discount in minor units of `currency`. Only offers in that currency accept the coupon. Exactly one of percentOff and amountOff is required.',
    update: 'Discount in minor units of `currency`. Replaces percentOff; must not be sent together with it.',
    answer: 'Discount in minor units of `currency`. null if the discount is a percentage.',
  }),
  currency: currencyCode().nullable().describe({
    create: 'Currency of amountOff as an ISO 4217 code, stored in lower case. Default: usd.',
    update: 'Currency of amountOff as an ISO 4217 code, stored in lower case.',
    answer: 'Currency of amountOff. null if the discount is a percentage.',
  }),
};

const fields = {
  projectId: id().key(),
  code: couponCode(),
  ...discountFields,
  offerKeys: texts(100)
    .initially([])
    .storedAs((keys) => [...new Set(keys)])
    .describe({
      sent: 'Keys of the offers that accept the coupon. If omitted or empty, all offers accept it.',
      answer: 'Keys of the offers that accept the coupon. If empty, all offers accept it.',
    }),
  maxRedemptions: integer(1, 1_000_000_000).nullable().describe({
    create: 'Maximum number of redemptions. If omitted, there is no limit.',
    answer: 'Maximum number of redemptions. null if there is no limit.',
  }),
  redemptions: integer()
    .folded(0)
    .describe('Number of redemptions: purchases with the coupon that were paid, or granted without a payment.'),
  expiresAt: dateTime().nullable(),
  isActive: boolean().default(true),
  /**
   * Payments for which a redemption is reserved: open checkouts and recently expired ones. Expired ones are included
   * because the processor can still report that they were paid.
   */
  uses: fieldOf<readonly CouponUse[]>()({ type: 'array', items: 'object' }).folded([]).internal(),
};

const events = { created: 'CouponCreated', changed: 'CouponChanged', deleted: 'CouponDeleted' } as const;

export type Discount = FieldsOf<typeof discountFields>;
export type CouponOf = KeysOf<typeof fields>;
export type NewCoupon = CreateInput<typeof fields>;
export type CouponInput = UpdateInput<typeof fields>;

type Use = CouponOf & Pick<CouponUse, 'paymentId' | 'appUserId' | 'offerKey'>;

export type CouponEvent =
  | NounEvents<typeof fields, typeof events>
  | DomainEvent<'CouponReserved', CouponOf & CouponUse>
  | DomainEvent<'CouponRedeemed', Use>
  | DomainEvent<'CouponReleased', Use>;

export interface Coupon extends RecordOf<typeof fields> {
  readonly updatedAt: string;
}

/** Maximum number of expired checkouts in the coupon's record. The oldest are dropped first. */
const mostExpired = 500;

export const coupons = noun<Coupon, CouponEvent>()({
  kind: 'coupon',
  fields,
  events,
  auditedFor: 'site.read',
  shownBy: 'site/listCoupons',
  limited: true,
  of: { project: 'projectId' },
  undoing: {
    sets: ['site/updateCoupon'],
    makes: 'site/createCoupon',
    ends: 'site/deleteCoupon',
    returns: { type: 'CouponRestored' },
  },
  missing: () => refuse('coupon-not-found'),
  collection: { name: 'coupons', version: 1, indexes: [{ fields: ['workspaceId', 'projectId', 'createdAt'] }] },
  updatedAt: true,
  folds: {
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

/** Concurrent creations and redemptions of one code use the same stream, so they are serialised. */
export const couponId = ({ projectId, code }: CouponOf): string => derivedId('cpn', `${projectId}/${code}`);

const isOpen = ({ until }: CouponUse, now: number): boolean => until === null || Date.parse(until) > now;

export const openUses = ({ uses }: Pick<Coupon, 'uses'>, now: number): number =>
  uses.filter((one) => isOpen(one, now)).length;

function withoutOld(uses: readonly CouponUse[], now: number): readonly CouponUse[] {
  const newest = new Set(uses.filter((one) => !isOpen(one, now)).slice(-mostExpired));
  return uses.filter((one) => isOpen(one, now) || newest.has(one));
}

const without = (uses: readonly CouponUse[], paymentId: string): readonly CouponUse[] =>
  uses.filter((one) => one.paymentId !== paymentId);
