import { Field } from '../../../engine/operation/field.js';
import { Operation, success } from '../../../engine/operation/operation.js';
import { idField } from '../../../engine/operation/plain-text.js';
import { shown } from '../../../engine/operation/shown.js';
import { showsFields } from '../../../engine/records/record-views.js';
import { answers, decides } from '../../../engine/records/rule.js';
import { mostMinorUnits, wrongCurrency } from '../../../kernel/money/currency.js';
import { createCoupon, deleteCoupon, updateCoupon } from './coupon.js';
import { type Coupon, type CouponOf, couponId, coupons, openUses } from './coupon.record.js';
import { codeOf, wrongCode } from './coupon-code.js';

const declared = {
  source: 'Sites API, Offers and coupons',
  group: 'coupons',
  within: 'project',
  tools: 'granted',
} as const;
const changes = { ...declared, effect: 'command', permission: 'site.edit' } as const;
const optional = { optional: true } as const;

const codeField = {
  type: 'any',
  schema: { type: 'string', minLength: 1, maxLength: 64 },
  wrong: wrongCode,
  description: 'Letters A to Z, digits and . _ -, kept in upper case. Unique in the project.',
} as const;
const percentOff = {
  type: 'integer',
  minimum: 1,
  maximum: 100,
  ...optional,
  description: 'Or amountOff, not both.',
} as const;
const amountOff = {
  type: 'integer',
  minimum: 1,
  maximum: mostMinorUnits,
  ...optional,
  description: 'In minor units of `currency`; only offers of that currency take it. Or percentOff, not both.',
} as const;
const currency = {
  type: 'any',
  schema: { type: 'string', pattern: '^[A-Za-z]{3}$' },
  wrong: wrongCurrency,
  ...optional,
  description: 'Of amountOff. ISO 4217, kept in lower case.',
} as const;
const offerKeys = {
  type: 'array',
  items: 'string',
  maxItems: 100,
  ...optional,
  description: 'The offers that it is for. Left out or empty: all of them.',
} as const;
const maxRedemptions = { type: 'integer', minimum: 1, maximum: 1_000_000_000, ...optional } as const;
const expiresAt = { type: 'string', format: 'date-time', ...optional } as const;
const nullableNumber = { type: 'integer', nullable: true } as const;

export class CouponRecord {
  @Field({ type: 'string', description: 'In upper case.' }) code!: string;
  @Field(nullableNumber) percentOff!: number | null;
  @Field({ ...nullableNumber, description: 'In minor units of `currency`.' }) amountOff!: number | null;
  @Field({ type: 'string', nullable: true, description: 'Of amountOff.' }) currency!: string | null;
  @Field({ type: 'array', items: 'string', description: 'Empty: all offers.' }) offerKeys!: readonly string[];
  @Field({ ...nullableNumber, description: 'null: as often as one likes.' }) maxRedemptions!: number | null;
  @Field({ type: 'integer', description: 'How often it was redeemed: paid checkouts, and those granted at once.' })
  redemptions!: number;
  @Field({ type: 'string', format: 'date-time', nullable: true }) expiresAt!: string | null;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
}

export class ListedCoupon extends CouponRecord {
  @Field({ type: 'integer', description: 'Redemptions that open checkouts and manual payments have set aside.' })
  reserved!: number;
}

@Operation('site/listCoupons', {
  ...declared,
  summary: 'Lists the coupons of a project, the oldest first, with how often each was redeemed.',
  effect: 'query',
  permission: 'site.read',
  answers: { list: ListedCoupon },
})
export class ListCoupons {
  @Field(idField) projectId!: string;
}

@Operation('site/createCoupon', {
  ...changes,
  summary: 'Creates a coupon, which takes a percentage or an amount off the price of a purchase.',
  answers: { record: CouponRecord },
  risky: true,
})
export class CreateCoupon {
  @Field(idField) projectId!: string;
  @Field(codeField) code!: string;
  @Field(percentOff) percentOff?: number;
  @Field(amountOff) amountOff?: number;
  @Field({ ...currency, description: `${currency.description} Left out: usd.` }) currency?: string;
  @Field(offerKeys) offerKeys?: string[];
  @Field({ ...maxRedemptions, description: 'Left out: as often as one likes.' }) maxRedemptions?: number;
  @Field(expiresAt) expiresAt?: string;
  @Field({ type: 'boolean', ...optional, default: true }) isActive?: boolean;
}

@Operation('site/updateCoupon', {
  ...changes,
  summary: 'Updates a coupon; inactive it is worth nothing from then on. Past redemptions stay.',
  answers: { record: CouponRecord },
  risky: true,
})
export class UpdateCoupon {
  @Field(idField) projectId!: string;
  @Field({ ...idField, description: 'In upper or lower case.' }) code!: string;
  @Field({ ...percentOff, description: "Takes amountOff's place. Not together with it." }) percentOff?: number;
  @Field({ ...amountOff, description: "Takes percentOff's place. Not together with it." }) amountOff?: number;
  @Field(currency) currency?: string;
  @Field(offerKeys) offerKeys?: string[];
  @Field(maxRedemptions) maxRedemptions?: number;
  @Field(expiresAt) expiresAt?: string;
  @Field({ type: 'boolean', ...optional }) isActive?: boolean;
}

@Operation('site/deleteCoupon', {
  ...changes,
  summary: 'Deletes a coupon. Checkouts that are open with it keep their price.',
  takesAway: true,
  answers: success,
})
export class DeleteCoupon {
  @Field(idField) projectId!: string;
  @Field({ ...idField, description: 'In upper or lower case.' }) code!: string;
}

/** What cannot be a code is none of a coupon. */
const ofSent = ({ projectId, code }: CouponOf): CouponOf => ({ projectId, code: codeOf(code) ?? coupons.missing() });
const answer = (coupon: Coupon | undefined): CouponRecord => shown(CouponRecord, coupon ?? coupons.missing());

showsFields(coupons, CouponRecord);

export const couponHandlers = [
  answers(ListCoupons, async (reads, { projectId }, { workspaceId, at }) => {
    const found = await reads.find<Coupon>(workspaceId, 'coupons', {
      where: { projectId },
      sort: [['createdAt', 'asc']],
    });
    return found.map((one) => shown(ListedCoupon, { ...one, reserved: openUses(one, Date.parse(at)) }));
  }),
  decides(CreateCoupon, {
    aggregate: coupons,
    id: (input) => couponId(ofSent(input)),
    begins: 'perhaps',
    decide: (before, { projectId, code, ...sent }) => createCoupon(before, ofSent({ projectId, code }), sent),
    answer,
  }),
  decides(UpdateCoupon, {
    aggregate: coupons,
    id: (input) => couponId(ofSent(input)),
    decide: (before, { projectId: _, code: __, ...sent }) => updateCoupon(before ?? coupons.missing(), sent),
    answer,
  }),
  decides(DeleteCoupon, {
    aggregate: coupons,
    id: (input) => couponId(ofSent(input)),
    decide: (before) => deleteCoupon(before ?? coupons.missing()),
  }),
];
