import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Rates } from '../../../engine/rates.js';
import { Reads } from '../../../engine/reads.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import type { Project } from '../../sites/project/project.record.js';
import { SiteOrigins } from '../../sites/project/site-origins.api.js';
import { Coupons } from '../coupon/coupons.api.js';
import type { Offer } from '../offer/offer.record.js';
import { Offers } from '../offer/offers.api.js';
import { ProcessorAccounts } from '../processor/processor-accounts.api.js';
import { PaymentFollowing } from './payment-following.api.js';
import { pageOf, purchaseOf } from './purchase.js';
import { failPayment, openCheckout, startPayment } from './site-payment.js';
import { type PurchaseFacts, type SitePayment, type SitePaymentEvent, sitePayments } from './site-payment.record.js';

export interface CheckoutInput {
  readonly offerKey: string;
  readonly couponCode?: string;
  readonly method?: 'processor' | 'manual';
  readonly successPath?: string;
  readonly cancelPath?: string;
}

export interface BegunCheckout {
  readonly status: 'granted' | 'pending' | 'redirect';
  readonly paymentId: string;
  /** Where the visitor pays. */
  readonly url?: string;
  /** To be paid, in minor units; after a trial, where there is one. */
  readonly amount: number;
  readonly currency: string;
}

/** The longest that the processor keeps a checkout open. */
const checkoutMs = 24 * 3_600_000;

/** Of one user. Each one sets a redemption of a coupon aside. */
const rate = { burst: 40, fillMs: 3_600_000 };

/** Where users of a site buy what it offers. */
@Injectable()
export class Checkouts {
  private readonly rates: Rates;

  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly offers: Offers,
    private readonly coupons: Coupons,
    private readonly accounts: ProcessorAccounts,
    private readonly following: PaymentFollowing,
    private readonly origins: SiteOrigins,
    private readonly clock: Clock,
  ) {
    this.rates = new Rates(rate, clock);
  }

  /**
   * The payment is recorded before the processor is asked, so that whatever that tells of it is known here. What is free
   * is granted before the answer. @throws Refusal
   */
  async begin(call: Call, project: Project, appUserId: string, input: CheckoutInput): Promise<BegunCheckout> {
    const waitMs = this.rates.take(appUserId);
    if (waitMs > 0) refuse('checkout-rate', undefined, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
    const origin = await this.origins.of(project);
    const pages = {
      successUrl: pageOf(origin, 'successPath', input.successPath),
      cancelUrl: pageOf(origin, 'cancelPath', input.cancelPath),
    };
    const { workspaceId, id: projectId } = project;
    const offer = await this.offers.termsOf(workspaceId, projectId, input.offerKey);
    const mode = await this.accounts.modeOf(workspaceId, projectId);
    const hasKey = await this.accounts.hasKey({ workspaceId, projectId, mode });
    const method = input.method ?? (hasKey ? 'processor' : 'manual');
    const paymentId = call.newId('pay');
    const checkoutEnds = new Date(this.clock.now() + checkoutMs).toISOString();
    const use = { projectId, appUserId, offer, paymentId, until: checkoutEnds };
    const coupon = await this.reserved(call, use, input.couponCode);
    const hadTrial = await this.hadTrial(workspaceId, appUserId, offer);
    const facts = purchaseOf({ projectId, appUserId, offer, coupon, hadTrial, method, mode, checkoutEnds });
    await this.mustBeOpenable(call, facts, paymentId);
    await this.change(call, paymentId, () => startPayment(facts), true);
    const { amount, currency } = facts;
    if (facts.method !== 'processor') {
      await this.following.now(workspaceId, paymentId);
      return { status: facts.method === 'free' ? 'granted' : 'pending', paymentId, amount, currency };
    }
    const url = await this.opened(call, paymentId, facts, pages);
    return { status: 'redirect', paymentId, url, amount, currency };
  }

  /** Without a key nothing could be opened, and nothing is recorded. */
  private async mustBeOpenable(call: Call, facts: PurchaseFacts, paymentId: string): Promise<void> {
    const { projectId, method, mode, couponCode: code } = facts;
    if (method !== 'processor' || mode === null) return;
    try {
      await this.accounts.mustHaveKey({ workspaceId: call.workspaceId, projectId, mode });
    } catch (error) {
      if (code !== null) await this.coupons.release(call, { projectId, code, paymentId });
      throw error;
    }
  }

  private async opened(
    call: Call,
    paymentId: string,
    facts: PurchaseFacts,
    pages: { readonly successUrl: string; readonly cancelUrl: string },
  ): Promise<string> {
    const { projectId, mode, offerName: name, price: amount, discount, currency, paymentTerm, trialDays } = facts;
    const { workspaceId } = call;
    const billing = paymentTerm === 'one_time' ? null : { interval: paymentTerm.interval, count: paymentTerm.every };
    const price = { amount, currency, billing };
    const expiresAt = Date.parse(facts.expiresAt ?? '');
    const wanted = { paymentId, projectId, name, price, discount, trialDays, expiresAt, ...pages };
    try {
      const checkout = await this.accounts.ask({ workspaceId, projectId, mode: mode ?? 'test' }, (processor, account) =>
        processor.openCheckout(account, wanted),
      );
      await this.change(call, paymentId, (before) => openCheckout(before, checkout.id));
      return checkout.url;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await this.change(call, paymentId, (before) => failPayment(before, error.message));
      await this.following.now(workspaceId, paymentId);
      // What the processor says is for the site's owner: the payment and getProcessorConnection keep it.
      if (error.code === 'processor-refused') return refuse('checkout-refused');
      throw error;
    }
  }

  private async reserved(
    call: Call,
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
    return this.coupons.reserve(call, { ...rest, code, offerKey, amount, currency });
  }

  /** A user tries what an entitlement opens once, whatever became of it. */
  private async hadTrial(
    workspaceId: string,
    appUserId: string,
    { projectId, entitlementKey }: Offer,
  ): Promise<boolean> {
    const found = await this.reads.find<SitePayment>(workspaceId, 'sitePayments', {
      where: { appUserId, projectId, entitlementKey, trialDays: { gt: 0 } },
    });
    return found.some(({ method, facts }) => method === 'manual' || Object.keys(facts).length > 0);
  }

  private async change(
    call: Call,
    id: string,
    decide: (before: SitePayment) => readonly SitePaymentEvent[],
    begins = false,
  ): Promise<void> {
    await this.runner.change(call, {
      aggregate: sitePayments,
      id,
      begins,
      decide: (before) => decide(before as SitePayment),
    });
  }
}
