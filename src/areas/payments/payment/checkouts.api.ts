import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RateLimit } from '../../../engine/quotas/rate-limit.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import type { ProcessorMode } from '../../../ports/network/payment-processor.port.js';
import { SiteOrigins } from '../../sites/project/addresses/site-origins.api.js';
import type { Project } from '../../sites/project/project.record.js';
import { Coupons } from '../coupon/coupons.api.js';
import type { EntitlementOf } from '../entitlement/entitlement.record.js';
import { Entitlements } from '../entitlement/entitlements.api.js';
import type { Offer } from '../offer/offer.record.js';
import { Offers } from '../offer/offers.api.js';
import { refusalOf, refuse } from '../payments.refusals.js';
import { type AccountOfMode, ProcessorAccounts } from '../processor/processor-accounts.api.js';
import { OpenPayments } from './open-payments.js';
import { PaymentFollowing } from './payment-following.api.js';
import { namesOf } from './payment-names.js';
import { pageOf, paymentDeadline, purchaseOf } from './purchase.js';
import { failPayment, openCheckout, startPayment } from './site-payment.js';
import { type PurchaseFacts, type SitePayment, type SitePaymentEvent, sitePayments } from './site-payment.record.js';

export interface CheckoutInput {
  readonly offerKey: string;
  readonly couponCode?: string;
  readonly method?: 'processor' | 'manual';
  readonly successPath?: string;
  readonly cancelPath?: string;
}

export interface StartedCheckout {
  readonly status: 'granted' | 'pending' | 'redirect';
  readonly paymentId: string;
  /** Only set with the status `redirect`. */
  readonly url?: string;
  /** In minor units. With a trial, the amount is due when the trial ends. */
  readonly amount: number;
  readonly currency: string;
}

/** Rate limit per user, because a checkout can reserve a redemption of a coupon. */
const rate = { burst: 40, fillMs: 3_600_000 };

@Injectable()
export class Checkouts {
  private readonly limit: RateLimit;

  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly offers: Offers,
    private readonly coupons: Coupons,
    private readonly entitlements: Entitlements,
    private readonly accounts: ProcessorAccounts,
    private readonly open: OpenPayments,
    private readonly following: PaymentFollowing,
    private readonly origins: SiteOrigins,
    private readonly clock: Clock,
  ) {
    this.limit = new RateLimit(rate, clock);
  }

  /**
   * Records the payment before it calls the processor, so that the processor's events find the payment. If nothing is
   * to be paid, access is granted before this resolves.
   * @throws Refusal
   */
  async begin(
    call: OperationContext,
    project: Project,
    appUserId: string,
    input: CheckoutInput,
  ): Promise<StartedCheckout> {
    this.limit.enforce(appUserId, () => refusalOf('checkout-rate'));
    const origin = await this.origins.originOf(project);
    const pages = {
      successUrl: pageOf(origin, 'successPath', input.successPath),
      cancelUrl: pageOf(origin, 'cancelPath', input.cancelPath),
    };
    const { workspaceId, id: projectId } = project;
    const offer = await this.offers.termsOf(workspaceId, projectId, input.offerKey);
    const { key: offerKey, entitlementKey: key } = offer;
    await this.mustBeOfUse(workspaceId, { projectId, appUserId, key });
    const mode = await this.accounts.modeOf(workspaceId, projectId);
    const method = await this.methodOf({ workspaceId, projectId, mode }, input.method);
    await this.open.close(workspaceId, { projectId, appUserId, offerKey });
    const paymentId = call.newId('pay');
    const now = this.clock.now();
    // At first, every reservation has the deadline of a processor payment. A manual payment stays open longer, so its
    // reservation is extended once the payment is recorded.
    const use = { projectId, appUserId, offer, paymentId, until: paymentDeadline('processor', now) };
    const coupon = await this.reserved(call, use, input.couponCode);
    const hadTrial = await this.hadTrial(workspaceId, appUserId, offer, mode);
    const facts = purchaseOf({ projectId, appUserId, offer, coupon, hadTrial, method, mode, now });
    await this.start(call, paymentId, facts);
    const { amount, currency } = facts;
    if (facts.method !== 'processor') {
      await this.following.now(workspaceId, paymentId);
      return { status: facts.method === 'free' ? 'granted' : 'pending', paymentId, amount, currency };
    }
    const url = await this.opened(call, paymentId, facts, pages);
    return { status: 'redirect', paymentId, url, amount, currency };
  }

  private async mustBeOfUse(workspaceId: string, of: EntitlementOf): Promise<void> {
    if (await this.entitlements.isHeldForLife(workspaceId, of)) refuse('entitlement-held-for-life', { key: of.key });
    await this.entitlements.mustHaveRoom(workspaceId, of);
  }

  /**
   * Without a requested method, returns `processor` if the site has a key of the processor or does not accept manual
   * payments, otherwise `manual`.
   * @throws Refusal manual-payments-off
   */
  private async methodOf(asked: AccountOfMode, sent: CheckoutInput['method']): Promise<'processor' | 'manual'> {
    const takesManual = await this.accounts.takesManualPayments(asked.workspaceId, asked.projectId);
    if (sent === 'manual' && !takesManual) refuse('manual-payments-off');
    if (sent !== undefined) return sent;
    return !takesManual || (await this.accounts.hasKey(asked)) ? 'processor' : 'manual';
  }

  /** If the payment is refused, nothing is recorded and the coupon's redemption is freed. */
  private async start(call: OperationContext, paymentId: string, facts: PurchaseFacts): Promise<void> {
    const { workspaceId } = call;
    const { projectId, mode, couponCode: code } = facts;
    try {
      if (mode !== null) await this.accounts.mustBeConnected({ workspaceId, projectId, mode });
      await this.runner.change(call, {
        aggregate: sitePayments,
        id: paymentId,
        begins: true,
        decide: () => startPayment(facts),
        reserves: () => namesOf(facts, streamOf(sitePayments.category, workspaceId, paymentId)),
      });
    } catch (error) {
      if (error instanceof Refusal && code !== null) await this.coupons.release(call, { projectId, code, paymentId });
      throw error;
    }
  }

  private async opened(
    call: OperationContext,
    paymentId: string,
    facts: PurchaseFacts,
    pages: { readonly successUrl: string; readonly cancelUrl: string },
  ): Promise<string> {
    const { projectId, mode, offerName: name, price: amount, discount, currency, paymentTerm, trialDays } = facts;
    const { workspaceId } = call;
    const billing = paymentTerm === 'one_time' ? null : { interval: paymentTerm.interval, count: paymentTerm.every };
    const price = { amount, currency, billing };
    const expiresAt = Date.parse(facts.expiresAt ?? '');
    const request = { paymentId, projectId, name, price, discount, trialDays, expiresAt, ...pages };
    try {
      const checkout = await this.accounts.request(
        { workspaceId, projectId, mode: mode ?? 'test' },
        (processor, account) => processor.openCheckout(account, request),
      );
      await this.change(call, paymentId, (before) => openCheckout(before, checkout.id));
      return checkout.url;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await this.change(call, paymentId, (before) => failPayment(before, error.message));
      await this.following.now(workspaceId, paymentId);
      // The processor's message is only for the site's owner, who finds it in the payment and in
      // getProcessorConnection.
      if (error.code === 'processor-refused') return refuse('checkout-refused');
      throw error;
    }
  }

  private async reserved(
    call: OperationContext,
    use: {
      readonly projectId: string;
      readonly appUserId: string;
      readonly offer: Offer;
      readonly paymentId: string;
      readonly until: string;
    },
    code: string | undefined,
  ) {
    if (code === undefined) return undefined;
    const { offer, ...rest } = use;
    const { amount, currency, key: offerKey } = offer;
    const step = this.accounts.stepOf(currency);
    return this.coupons.reserve(call, { ...rest, code, offerKey, amount, currency, step });
  }

  /**
   * Whether the user had a trial of this offer's entitlement. An open payment counts as a trial if it is manual or the
   * processor has reported something about it. A payment that failed, expired or was rejected does not count. In live
   * mode, a test payment does not count, because it gives nothing.
   */
  private async hadTrial(
    workspaceId: string,
    appUserId: string,
    { projectId, entitlementKey }: Offer,
    presentMode: ProcessorMode,
  ): Promise<boolean> {
    const found = await this.reads.find<SitePayment>(workspaceId, 'sitePayments', {
      where: { appUserId, projectId, entitlementKey, trialDays: { gt: 0 } },
    });
    return found.some(({ method, status, facts, mode }) => {
      if (mode === 'test' && presentMode === 'live') return false;
      if (status === 'pending') return method === 'manual' || Object.keys(facts).length > 0;
      return status === 'succeeded' || status === 'refunded';
    });
  }

  private async change(
    call: OperationContext,
    id: string,
    decide: (before: SitePayment) => readonly SitePaymentEvent[],
  ): Promise<void> {
    await this.runner.change(call, {
      aggregate: sitePayments,
      id,
      decide: (before) => decide(before ?? sitePayments.missing()),
    });
  }
}
