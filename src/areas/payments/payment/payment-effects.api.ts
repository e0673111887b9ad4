import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { Refusal } from '../../../kernel/refusal.js';
import { Coupons } from '../coupon/coupons.api.js';
import { Entitlements, type ShownEntitlement } from '../entitlement/entitlements.api.js';
import type { BoughtAccess } from './bought-access.js';
import { accessOf } from './site-payment.js';
import { type SitePayment, sitePayments } from './site-payment.record.js';

type Held = Extract<BoughtAccess, { readonly kind: 'held' }>;

/** The payment that gives access for longest. */
interface Best {
  readonly payment: SitePayment;
  readonly access: Held;
}

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
    const { projectId, id: paymentId, couponCode: code, status, method } = payment;
    if (code === null) return;
    if (status === 'pending') {
      // A checkout at the processor ends by itself; a person may take longer.
      if (method === 'manual') await this.coupons.keep(call('keep'), { projectId, code, paymentId });
      return;
    }
    if (status === 'succeeded' || status === 'refunded') {
      await this.coupons.redeem(call('redeem'), { projectId, code, paymentId });
      return;
    }
    await this.coupons.release(call('release'), { projectId, code, paymentId });
  }

  private async entitle(payment: SitePayment, call: Call): Promise<void> {
    const { workspaceId, projectId, appUserId, entitlementKey: key } = payment;
    const all = await this.paymentsFor(payment);
    const [held, list] = [bestOf(all), await this.entitlements.list(workspaceId, appUserId)];
    const current = list.find((one) => one.key === key);
    const of = { projectId, appUserId, key };
    try {
      if (held !== undefined) await this.give(call, of, held, current);
      else if (current !== undefined && isTakenBack(all, current)) await this.entitlements.revoke(call, of);
    } catch (error) {
      // The user, the project or room for it is gone, or somebody revoked it at this moment: the payment stays as it is.
      if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error;
    }
  }

  private async give(
    call: Call,
    of: Parameters<Entitlements['grant']>[1],
    { payment, access }: Best,
    current: ShownEntitlement | undefined,
  ): Promise<void> {
    const { until, graceUntil } = access;
    const ends = { ...(until === null ? {} : { expiresAt: until }), ...(graceUntil === null ? {} : { graceUntil }) };
    const { id: paymentId, offerKey, couponCode } = payment;
    const source = { type: 'payment', paymentId, offerKey, ...(couponCode === null ? {} : { couponCode }) };
    const grant = () => this.entitlements.grant(call, of, { ...ends, source });
    if (current === undefined) return void (await grant());
    const isSame = current.source?.['paymentId'] === paymentId;
    if (current.status === 'revoked') {
      // Somebody's decision stands until new money comes.
      if (wasByService(current) || !isSame || isLater(until, current.expiresAt)) await grant();
      return;
    }
    if (!isSame) {
      if (!endsAsLate(current, until) || current.source?.['type'] === 'payment') await grant();
      return;
    }
    if (current.expiresAt === until && current.graceUntil === graceUntil) return;
    if (until === null) return void (await grant());
    // What a person set stays, where it gives more.
    await this.entitlements.extend(call, of, { ...ends, expiresAt: until, atLeast: !wasByService(current) });
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

function bestOf(payments: readonly SitePayment[]): Best | undefined {
  const held = payments.flatMap((payment): readonly Best[] => {
    const access = accessOf(payment);
    return access.kind === 'held' ? [{ payment, access }] : [];
  });
  return held.reduce<Best | undefined>(
    (best, one) => (best === undefined || isLater(one.access.until, best.access.until) ? one : best),
    undefined,
  );
}

/** Only what a payment gave is taken back with one. */
function isTakenBack(payments: readonly SitePayment[], { source, status }: ShownEntitlement): boolean {
  const paid = payments.some(({ id }) => source?.['type'] === 'payment' && source['paymentId'] === id);
  return paid && status !== 'revoked' && payments.some((one) => accessOf(one).kind === 'taken-back');
}

/** Whether the service itself, and no person or function, changed it last. */
function wasByService({ history }: ShownEntitlement): boolean {
  return history.findLast(({ change }) => change !== 'expired')?.by.kind === 'system';
}

/** null: for life. */
const isLater = (one: string | null, than: string | null): boolean => than !== null && (one === null || one > than);

const endsAsLate = ({ expiresAt, status }: ShownEntitlement, until: string | null): boolean =>
  status !== 'expired' && !isLater(until, expiresAt);
