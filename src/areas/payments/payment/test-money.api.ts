import { Injectable } from '@nestjs/common';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { entitlementId } from '../entitlement/entitlement.record.js';
import { PaymentEffects } from './payment-effects.api.js';
import type { SitePayment } from './site-payment.record.js';

const page = 50;

/** What test payments of a site have given, where its mode changes: nothing once it is live, and again in `test`. */
@Injectable()
export class TestMoney {
  constructor(
    private readonly reads: Reads,
    private readonly effects: PaymentEffects,
  ) {}

  /**
   * Works out anew what they give, of so many payments at most, the oldest first. Answers how many entitlements ended. May
   * be repeated; `call(step)` makes the call of one change.
   */
  async follow(
    workspaceId: string,
    projectId: string,
    call: (step: string) => Call,
    most = Number.POSITIVE_INFINITY,
  ): Promise<number> {
    let ended = 0;
    let last: SitePayment | undefined;
    for (let seen = 0; seen < most; seen += page) {
      const found: readonly SitePayment[] = await this.reads.find<SitePayment>(workspaceId, 'sitePayments', {
        where: { projectId, mode: 'test' },
        sort: [['createdAt', 'asc']],
        limit: page,
        ...(last && { after: [last.createdAt, last.id] }),
      });
      ended += await this.endedBy(found, call);
      last = found.at(-1);
      if (found.length < page) break;
    }
    return ended;
  }

  /** Each entitlement once: two changes of one at the same time would only meet. */
  private async endedBy(payments: readonly SitePayment[], call: (step: string) => Call): Promise<number> {
    const succeeded = payments.filter(({ succeededAt }) => succeededAt !== null);
    const ofEntitlements = new Map(
      succeeded.map((one) => [entitlementId({ appUserId: one.appUserId, key: one.entitlementKey }), one]),
    );
    const outcomes = await Promise.all(
      [...ofEntitlements].map(([id, payment]) => this.effects.entitle(payment, call(`entitlement ${id}`))),
    );
    return outcomes.filter(({ ended }) => ended).length;
  }
}
