import { Operation, success } from '../../../engine/operation/operation.js';
import { defaultPage } from '../../../engine/records/record-operations.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';

const source = 'Sites API, Entitlements and manual payments';
const group = 'manual-payments';
const statuses = ['pending', 'succeeded', 'rejected', 'expired'] as const;

export class PaymentDeciderRecord {
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

export class ManualPaymentRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) appUserId!: string;
  @Field({ type: 'string' }) offerKey!: string;
  @Field({ type: 'integer', description: 'To be paid, in minor units, at the time of the purchase.' }) amount!: number;
  @Field({ type: 'string', description: 'ISO code in lower case.' }) currency!: string;
  @Field({ type: 'string', enum: statuses, description: 'expired: nobody decided in time.' }) status!: string;
  @Field({ type: 'string', nullable: true, description: 'Why it was rejected, if that was said.' })
  reason!: string | null;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When it expires if nobody decides. null: never, as for those of earlier versions.',
  })
  expiresAt!: string | null;
  @Field({ type: 'string', format: 'date-time', nullable: true }) decidedAt!: string | null;
  @Field({ type: 'object', nullable: true, shape: () => PaymentDeciderRecord })
  decidedBy!: PaymentDeciderRecord | null;
}

@Operation('site/listManualPayments', {
  summary: 'Lists the manual payments of a project by status, newest first: the pending ones wait for a decision.',
  source,
  group,
  effect: 'query',
  permission: 'site.read',
  within: 'project',
  tools: 'granted',
  answers: { list: ManualPaymentRecord },
})
export class ListManualPayments {
  @Field(idField) projectId!: string;
  @Field({ type: 'string', enum: statuses, optional: true, default: 'pending' }) status?: string;
  @Field({ type: 'integer', minimum: 1, maximum: 200, optional: true, default: defaultPage }) limit?: number;
  @Field({ ...idField, optional: true, description: 'The id of the oldest one already held.' }) before?: string;
}

@Operation('site/approveManualPayment', {
  summary: "Notes that a manual payment came in, and grants what was bought by the terms of the purchase's time.",
  source,
  group,
  effect: 'command',
  permission: 'site.money',
  within: 'project',
  tools: 'never',
  answers: success,
  risky: true,
})
export class ApproveManualPayment {
  @Field(idField) projectId!: string;
  @Field(idField) paymentId!: string;
}

@Operation('site/rejectManualPayment', {
  summary: 'Rejects a manual payment: nothing is granted, and its coupon is free again.',
  source,
  group,
  effect: 'command',
  permission: 'site.money',
  within: 'project',
  tools: 'never',
  answers: success,
})
export class RejectManualPayment {
  @Field(idField) projectId!: string;
  @Field(idField) paymentId!: string;
  @Field({ type: 'string', maxLength: 2_000, optional: true, description: 'Kept with the payment.' }) reason?: string;
}
