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
 * Updates the user's entitlement and the coupon after a change of a payment. The effects are derived from all known
 * facts and only differences are recorded, so calls are idempotent and can come in any order.
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
   * Counts or frees the redemptions of payments that were decided while the coupon was deleted.
   * @param call creates the context of one step, with the service itself as the actor
   */
  async settleUses(workspaceId: string, couponId: string, call: (step: string) => OperationContext): Promise<void> {
    for (const paymentId of await this.coupons.paymentsOf(workspaceId, couponId)) {
      const payment = await this.runner.find(sitePayments, workspaceId, paymentId);
      if (payment !== undefined) await this.settleCoupon(payment, (step) => call(`${step} ${paymentId}`));
    }
  }

  /** @throws Refusal entitlements-full if the payment is pending and the user cannot have its entitlement */
  async mustHaveRoom(workspaceId: string, projectId: string, paymentId: string): Promise<void> {
    const payment = await this.runner.find(sitePayments, workspaceId, paymentId);
    if (payment?.projectId !== projectId || payment.status !== 'pending' || payment.method !== 'manual') return;
    const { appUserId, entitlementKey: key } = payment;
    await this.entitlements.mustHaveRoom(workspaceId, { projectId, appUserId, key });
  }

  /** Redeems the coupon once the payment has succeeded, regardless of later refunds. */
  private async settleCoupon(payment: SitePayment, call: (step: string) => OperationContext): Promise<void> {
    const { projectId, id: paymentId, couponCode: code, status, method, expiresAt, createdAt } = payment;
    if (code === null) return;
    if (status === 'pending') {
      // The reservation must last until the payment is decided, and that can be later than the reservation's present
      // expiry.
      if (method === 'manual') await this.coupons.extend(call('keep'), { projectId, code, paymentId }, expiresAt);
      return;
    }
    if (status === 'succeeded' || status === 'refunded') {
      await this.coupons.redeem(call('redeem'), { projectId, code, paymentId });
      return;
    }
    if (method === 'processor') {
      // The processor can still report that the payment was paid, so the reservation is not removed. Instead it gets an
      // expiry in the past, so that others can use the redemption at once.
      await this.coupons.extend(call('release'), { projectId, code, paymentId }, createdAt);
      return;
    }
    await this.coupons.release(call('release'), { projectId, code, paymentId });
  }

  /** Resolves to whether access ended. If the change is refused, nothing changes and `ended` is false. */
  async entitle(payment: SitePayment, call: OperationContext): Promise<{ readonly ended: boolean }> {
    const { workspaceId, projectId, appUserId, entitlementKey: key } = payment;
    const all = await this.paymentsFor(payment);
    // The mode must be read after the payments. If a member changes the mode after this read, TestMoney finds these
    // payments and updates their access.
    const mode = await this.accounts.modeOf(workspaceId, projectId);
    const purchases = all.map((one) => purchaseIn(one, mode));
    try {
      return await this.entitlements.follow(call, { projectId, appUserId, key }, purchases);
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error;
      return { ended: false };
    }
  }

  /** Reads each payment from its stream, because the read model can lag behind concurrent changes. */
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

function purchaseIn(payment: SitePayment, mode: PaymentMode): Purchase {
  const { id: paymentId, offerKey, couponCode, succeededAt, paidAt } = payment;
  const access = purchasedAccess(payment);
  return {
    paymentId,
    source: { type: 'payment', paymentId, offerKey, ...(couponCode === null ? {} : { couponCode }) },
    succeededAt,
    paidAt,
    access: payment.mode === 'test' && mode === 'live' && access.kind === 'held' ? { kind: 'taken-back' } : access,
  };
}
