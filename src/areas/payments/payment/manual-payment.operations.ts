import { query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { defaultPage, newestFirst } from '../../../engine/records/newest-first.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Field, type ValuesOf } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { PaymentEffects } from './payment-effects.api.js';
import { PaymentFollowing } from './payment-following.api.js';
import { approvePayment, rejectPayment } from './site-payment.js';
import { type SitePayment, sitePayments } from './site-payment.record.js';

const declared = {
  source: 'Sites API, Entitlements and manual payments',
  group: 'manual-payments',
  within: 'project',
} as const;
const statuses = ['pending', 'succeeded', 'rejected', 'expired'] as const;

class PaymentDeciderRecord {
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

class ManualPaymentRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) appUserId!: string;
  @Field({ type: 'string' }) offerKey!: string;
  @Field({ type: 'integer', description: 'Amount to pay in minor units, as of the time of the purchase.' })
  amount!: number;
  @Field({ type: 'string', description: 'ISO 4217 code in lower case.' }) currency!: string;
  @Field({ type: 'string', enum: statuses, description: 'expired: no decision was made in time.' }) status!: string;
  @Field({ type: 'string', nullable: true, description: 'Why the payment was rejected. null if no reason was given.' })
  reason!: string | null;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description:
      'When the payment expires if no decision is made. null if it never expires, as for payments recorded by earlier versions.',
  })
  expiresAt!: string | null;
  @Field({ type: 'string', format: 'date-time', nullable: true }) decidedAt!: string | null;
  @Field({ type: 'object', nullable: true, shape: () => PaymentDeciderRecord })
  decidedBy!: PaymentDeciderRecord | null;
}

const one = { projectId: idField, paymentId: idField } as const;
type One = ValuesOf<typeof one>;

/** The operation returns after access and coupon have been updated. */
const decides = {
  ...declared,
  permission: 'site.money',
  tools: 'never',
  answers: success,
  record: sitePayments,
  id: ({ paymentId }: One) => paymentId,
  inject: [PaymentFollowing],
  prepare:
    async ({ paymentId }: One, { workspaceId }: OperationContext, following: PaymentFollowing) =>
    () =>
      following.now(workspaceId, paymentId),
  answer: async (_: SitePayment | undefined, follow: () => Promise<void>) => {
    await follow();
    return { success: true };
  },
} as const;

export const manualPaymentOperations = [
  query('site/listManualPayments', {
    ...declared,
    summary:
      'Lists the manual payments of a project with a given status, newest first. Pending payments await a decision.',
    permission: 'site.read',
    tools: 'granted',
    answers: { list: ManualPaymentRecord },
    input: {
      projectId: idField,
      status: { type: 'string', enum: statuses, optional: true, default: 'pending' },
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: defaultPage },
      before: { ...idField, optional: true, description: 'The id of the last payment of the previous page.' },
    },
    inject: [Reads],
    handle: ({ projectId, status = 'pending', ...page }, { workspaceId }, reads) =>
      newestFirst<SitePayment>(reads, workspaceId, 'sitePayments', page, {
        where: { projectId, method: 'manual', status },
        by: 'createdAt',
        missing: () => sitePayments.missing(),
        belongs: (payment) => payment.projectId === projectId && payment.method === 'manual',
      }),
  }),
  recordCommand('site/approveManualPayment', {
    ...decides,
    summary:
      'Records that a manual payment was received, and grants what was bought on the terms at the time of the purchase.',
    risky: true,
    input: one,
    inject: [PaymentFollowing, PaymentEffects],
    prepare: async (sent, call, following, effects) => {
      await effects.mustHaveRoom(call.workspaceId, sent.projectId, sent.paymentId);
      return decides.prepare(sent, call, following);
    },
    decide: (before, { projectId }, { at }) => approvePayment(ofProject(before, projectId), at),
  }),
  recordCommand('site/rejectManualPayment', {
    ...decides,
    summary: 'Rejects a manual payment. Nothing is granted, and the reserved redemption of its coupon is released.',
    input: {
      ...one,
      reason: { type: 'string', maxLength: 2_000, optional: true, description: 'Stored with the payment.' },
    },
    decide: (before, { projectId, reason }, { at }) => rejectPayment(ofProject(before, projectId), at, reason),
  }),
];

const ofProject = (payment: SitePayment, projectId: string): SitePayment =>
  payment.projectId === projectId ? payment : sitePayments.missing();
