import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Coupons } from '../coupon/coupons.api.js';
import { Entitlements } from '../entitlement/entitlements.api.js';
import type { Purchase } from '../entitlement/purchases.api.js';
import { ProcessorAccounts } from '../processor/processor-accounts.api.js';
import { purchasedAccess } from './site-payment.js';
import { type PaymentMode, type SitePayment, sitePayments } from './site-payment.record.js';

/**
 * Applies a payment's effects on the entitlement and the coupon. They are derived from all known facts, and only
 * differences are recorded. Calls are therefore idempotent and may come in any order.
 */
@Injectable()
export class PaymentEffects {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly entitlements: Entitlements,
    private readonly coupons: Coupons,
    private readonly accounts: ProcessorAccounts,
  ) {}

  /** @param call creates the context of one step, with the service itself as the actor */
  async follow(workspaceId: string, paymentId: string, call: (step: string) => OperationContext): Promise<void> {
    const payment = await this.runner.find(sitePayments, workspaceId, paymentId);
    if (payment === undefined) return;
    await this.entitle(payment, call('entitlement'));
    await this.settleCoupon(payment, call);
  }

  /**
   * Redeems the coupon once the payment has succeeded, regardless of later refunds. Frees the redemption if the payment
   * was rejected, failed or expired.
   */
  private async settleCoupon(payment: SitePayment, call: (step: string) => OperationContext): Promise<void> {
    const { projectId, id: paymentId, couponCode: code, status, method, expiresAt } = payment;
    if (code === null) return;
    if (status === 'pending') {
      // Deciding about a manual payment may take longer than the reservation lasts, so the reservation is extended. A
      // checkout at the processor expires together with its reservation.
      if (method === 'manual') await this.coupons.extend(call('keep'), { projectId, code, paymentId }, expiresAt);
      return;
    }
    if (status === 'succeeded' || status === 'refunded') {
      await this.coupons.redeem(call('redeem'), { projectId, code, paymentId });
      return;
    }
    await this.coupons.release(call('release'), { projectId, code, paymentId });
  }

  /**
   * Derives the entitlement from all payments for it. Resolves to whether access ended. If this is refused, because the
   * user or project was deleted or the user cannot have another entitlement, nothing changes and `ended` is false.
   */
  async entitle(payment: SitePayment, call: OperationContext): Promise<{ readonly ended: boolean }> {
    const { workspaceId, projectId, appUserId, entitlementKey: key } = payment;
    const all = await this.paymentsFor(payment);
    // The mode must be read after the payments. If it changes later, that change updates the access of these payments
    // too.
    const mode = await this.accounts.modeOf(workspaceId, projectId);
    const purchases = all.map((one) => purchaseIn(one, mode));
    try {
      return await this.entitlements.follow(call, { projectId, appUserId, key }, purchases);
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error;
      return { ended: false };
    }
  }

  /** Reads each payment from its stream, because the read model may lag behind concurrent changes. */
  private async paymentsFor({ id: own, workspaceId, appUserId, projectId, entitlementKey }: SitePayment) {
    const where = { appUserId, projectId, entitlementKey };
    const found = await this.reads.find<SitePayment>(workspaceId, 'sitePayments', {
      where,
      sort: [['createdAt', 'asc']],
    });
    const ids = [...new Set([...found.map(({ id }) => id), own])];
    const all = await Promise.all(ids.map((id) => this.runner.find(sitePayments, workspaceId, id)));
    return all.filter((one) => one !== undefined);
  }
}

/** Returns the purchase that a payment makes. Test payments give no access on a live site. */
function purchaseIn(payment: SitePayment, mode: PaymentMode): Purchase {
  const { id: paymentId, offerKey, couponCode, succeededAt } = payment;
  const access = purchasedAccess(payment);
  return {
    paymentId,
    source: { type: 'payment', paymentId, offerKey, ...(couponCode === null ? {} : { couponCode }) },
    succeededAt,
    access: payment.mode === 'test' && mode === 'live' && access.kind === 'held' ? { kind: 'taken-back' } : access,
  };
}
