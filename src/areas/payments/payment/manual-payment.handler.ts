import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { newestFirst } from '../../../engine/records/record-operations.js';
import { answers, does } from '../../../engine/records/rule.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import {
  ApproveManualPayment,
  ListManualPayments,
  ManualPaymentRecord,
  RejectManualPayment,
} from './manual-payment.operations.js';
import { PaymentFollowing } from './payment-following.api.js';
import { approvePayment, rejectPayment } from './site-payment.js';
import { type SitePayment, type SitePaymentEvent, sitePayments } from './site-payment.record.js';

type Decide = (before: SitePayment) => readonly SitePaymentEvent[];

/** Decides manual payments; what follows from a decision is done before the answer. */
@Injectable()
export class ManualPayments {
  constructor(
    private readonly runner: CommandRunner,
    private readonly following: PaymentFollowing,
  ) {}

  /** @throws Refusal payment-not-found, payment-decided */
  async decide(
    call: Call,
    { projectId, paymentId }: ApproveManualPayment,
    decide: Decide,
  ): Promise<{ readonly success: true }> {
    await this.runner.change(call, {
      aggregate: sitePayments,
      id: paymentId,
      decide: (before) => {
        if (before?.projectId !== projectId) return refuse('payment-not-found');
        return decide(before);
      },
    });
    await this.following.now(call.workspaceId, paymentId);
    return { success: true };
  }
}

export const manualPaymentHandlers = [
  answers(ListManualPayments, async (reads, { projectId, status = 'pending', ...page }, { workspaceId }) => {
    const found = await newestFirst<SitePayment>(reads, workspaceId, 'sitePayments', page, {
      where: { projectId, method: 'manual', status },
      by: 'createdAt',
      missing: () => refuse('payment-not-found'),
      belongs: (one) => one.projectId === projectId && one.method === 'manual',
    });
    return found.map((one) => shown(ManualPaymentRecord, one));
  }),
  ManualPayments,
  does(ApproveManualPayment, ManualPayments, (payments, input, call) =>
    payments.decide(call, input, (before) => approvePayment(before, call.at)),
  ),
  does(RejectManualPayment, ManualPayments, (payments, input, call) =>
    payments.decide(call, input, (before) => rejectPayment(before, call.at, input.reason)),
  ),
];
