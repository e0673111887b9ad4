import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Project } from '../../sites/project/project.record.js';
import { Entitlements } from '../entitlement/entitlements.api.js';
import { Offers } from '../offer/offers.api.js';
import type { SitePayment } from './site-payment.record.js';

const mostShown = 100;

@Injectable()
export class VisitorPurchases {
  constructor(
    private readonly reads: Reads,
    private readonly sold: Offers,
    private readonly entitlements: Entitlements,
  ) {}

  async offers({ workspaceId, id }: Project): Promise<readonly object[]> {
    const active = await this.sold.active(workspaceId, id);
    return active.map((offer) => {
      const { key, name, description, amount, currency, paymentTerm, accessTerm, entitlementKey } = offer;
      const { imageUrl, features } = offer;
      return { key, name, description, amount, currency, paymentTerm, accessTerm, entitlementKey, imageUrl, features };
    });
  }

  async purchasesOf({ workspaceId, id: projectId }: Project, appUserId: string): Promise<object> {
    const [payments, entitlements] = await Promise.all([
      this.reads.find<SitePayment>(workspaceId, 'sitePayments', {
        where: { appUserId, projectId },
        sort: [['createdAt', 'desc']],
        limit: mostShown,
      }),
      this.entitlements.list(workspaceId, appUserId),
    ]);
    return {
      payments: payments.map(({ id, offerKey, amount, currency, couponCode, method, status, reason, createdAt }) => ({
        id,
        offerKey,
        amount,
        currency,
        couponCode,
        method,
        status,
        // Only the site's owner may see why a payment failed. Users may see why a payment was rejected.
        reason: status === 'rejected' ? reason : null,
        createdAt,
      })),
      entitlements: entitlements.map(({ key, status, expiresAt, graceUntil }) => ({
        key,
        status,
        expiresAt,
        graceUntil,
      })),
    };
  }
}
