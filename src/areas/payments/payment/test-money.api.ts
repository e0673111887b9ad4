import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { entitlementId } from '../entitlement/entitlement.record.js';
import { PaymentEffects } from './payment-effects.api.js';
import type { SitePayment } from './site-payment.record.js';

const page = 50;

/**
 * When a site's mode becomes `live`, access from test payments ends. When it becomes `test`, this access is restored.
 */
@Injectable()
export class TestMoney {
  constructor(
    private readonly reads: Reads,
    private readonly effects: PaymentEffects,
  ) {}

  /**
   * Handles at most `most` payments, oldest first. Resolves to the number of entitlements that ended. Idempotent.
   * @param call creates the context of one change
   */
  async follow(
    workspaceId: string,
    projectId: string,
    call: (step: string) => OperationContext,
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

  /** Updates each entitlement only once, because two concurrent changes of the same entitlement would conflict. */
  private async endedBy(payments: readonly SitePayment[], call: (step: string) => OperationContext): Promise<number> {
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
