import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Coupons } from '../coupon/coupons.api.js';
import { Entitlements } from '../entitlement/entitlements.api.js';
import type { Purchase } from '../entitlement/purchases.api.js';
import { ProcessorAccounts } from '../processor/processor-accounts.api.js';
import { accessOf } from './site-payment.js';
import { type PaymentMode, type SitePayment, sitePayments } from './site-payment.record.js';

/**
 * What follows from a payment elsewhere: the entitlement and the coupon. Each time it is worked out from all that is known,
 * and only what differs is changed, so that it may be repeated and come in any order.
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

  /** `call(step)` makes the call of one change; the service itself makes it. */
  async follow(workspaceId: string, paymentId: string, call: (step: string) => Call): Promise<void> {
    const payment = await this.runner.find(sitePayments, workspaceId, paymentId);
    if (payment === undefined) return;
    await this.entitle(payment, call('entitlement'));
    await this.settleCoupon(payment, call);
  }

  /** Counted once paid for, whatever becomes of it later; free again when nothing was. */
  private async settleCoupon(payment: SitePayment, call: (step: string) => Call): Promise<void> {
    const { projectId, id: paymentId, couponCode: code, status, method, expiresAt } = payment;
    if (code === null) return;
    if (status === 'pending') {
      // A checkout at the processor ends by itself; a person may take longer.
      if (method === 'manual') await this.coupons.keep(call('keep'), { projectId, code, paymentId }, expiresAt);
      return;
    }
    if (status === 'succeeded' || status === 'refunded') {
      await this.coupons.redeem(call('redeem'), { projectId, code, paymentId });
      return;
    }
    await this.coupons.release(call('release'), { projectId, code, paymentId });
  }

  /**
   * Works out the entitlement that a payment is for, from all payments for it. Answers whether access ended by it. The
   * user, the project or room for it may be gone: then the payment stays as it is.
   */
  async entitle(payment: SitePayment, call: Call): Promise<{ readonly ended: boolean }> {
    const { workspaceId, projectId, appUserId, entitlementKey: key } = payment;
    const all = await this.paymentsFor(payment);
    // After the payments: what a change of the mode must not miss, it finds itself.
    const mode = await this.accounts.modeOf(workspaceId, projectId);
    const purchases = all.map((one) => purchaseIn(one, mode));
    try {
      return await this.entitlements.follow(call, { projectId, appUserId, key }, purchases);
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error;
      return { ended: false };
    }
  }

  /** As recorded now: the read model may be a moment behind for those that changed at the same time. */
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

/** Test money gives nothing where a site sells for real. */
function purchaseIn(payment: SitePayment, mode: PaymentMode): Purchase {
  const { id: paymentId, offerKey, couponCode, succeededAt } = payment;
  const access = accessOf(payment);
  return {
    paymentId,
    source: { type: 'payment', paymentId, offerKey, ...(couponCode === null ? {} : { couponCode }) },
    succeededAt,
    access: payment.mode === 'test' && mode === 'live' && access.kind === 'held' ? { kind: 'taken-back' } : access,
  };
}
