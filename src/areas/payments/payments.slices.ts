import { due } from '../../engine/due/due.js';
import { endsWithOwners } from '../../engine/ownership/dependents.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { personSource } from '../app-users/app-user/person-sources.api.js';
import { couponOperations } from './coupon/coupon.operations.js';
import { coupons } from './coupon/coupon.record.js';
import { Coupons } from './coupon/coupons.api.js';
import { deleteEntitlement, expireEntitlement } from './entitlement/entitlement.js';
import { entitlementOperations } from './entitlement/entitlement.operations.js';
import { entitlements } from './entitlement/entitlement.record.js';
import { Entitlements } from './entitlement/entitlements.api.js';
import { offerOperations } from './offer/offer.operations.js';
import { offers } from './offer/offer.record.js';
import { Offers } from './offer/offers.api.js';
import { BuyerReceipts } from './payment/buyer-receipts.api.js';
import { Checkouts } from './payment/checkouts.api.js';
import { manualPaymentOperations } from './payment/manual-payment.operations.js';
import { OpenPayments } from './payment/open-payments.js';
import { PaymentEffects } from './payment/payment-effects.api.js';
import { PaymentFollowing } from './payment/payment-following.api.js';
import { ProcessorEvents } from './payment/processor-events.api.js';
import { expirePayment, removePayment } from './payment/site-payment.js';
import { sitePayments } from './payment/site-payment.record.js';
import { TestMoney } from './payment/test-money.api.js';
import { VisitorPurchases } from './payment/visitor-purchases.api.js';
import { ProcessorAccounts } from './processor/processor-accounts.api.js';
import { removeConnection } from './processor/processor-connection.js';
import { processorConnectionOperations } from './processor/processor-connection.operations.js';
import { processorConnections } from './processor/processor-connection.record.js';
import { processorProductOperations } from './processor/processor-product.operations.js';
import { ProcessorWebhooks } from './processor/processor-webhooks.api.js';

export const paymentsSlices: readonly Slice[] = [
  slice(entitlements, [
    ...entitlementOperations,
    Entitlements,
    // This job only records that access has ended. Whether a user has access is decided by the clock, not by this
    // record.
    due({
      name: 'entitlement-watch',
      record: entitlements,
      field: 'endsAt',
      everyMs: 10_000,
      decide: expireEntitlement,
    }),
    personSource(Entitlements, (known) => ({
      entitlementsOf: (workspaceId, userId) => known.factsOf(workspaceId, userId),
    })),
    endsWithOwners(entitlements, deleteEntitlement),
  ]),
  slice(offers, [...offerOperations, Offers]),
  slice(coupons, [...couponOperations, Coupons]),
  slice(sitePayments, [
    PaymentEffects,
    BuyerReceipts,
    PaymentFollowing,
    OpenPayments,
    TestMoney,
    due({
      name: 'payment-expiry',
      record: sitePayments,
      where: { status: 'pending' },
      field: 'expiresAt',
      everyMs: 60_000,
      decide: expirePayment,
    }),
    ProcessorEvents,
    Checkouts,
    VisitorPurchases,
    endsWithOwners(sitePayments, removePayment),
    ...manualPaymentOperations,
  ]),
  slice(processorConnections, [
    ...processorConnectionOperations,
    ...processorProductOperations,
    ProcessorAccounts,
    ProcessorWebhooks,
    endsWithOwners(processorConnections, removeConnection),
  ]),
];
