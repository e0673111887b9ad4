import { type Slice, slice } from '../../engine/records/slice.js';
import { personSource } from '../app-users/app-user/person-sources.api.js';
import { userContent } from '../app-users/app-user/user-contents.api.js';
import { projectContent } from '../sites/project/project-contents.api.js';
import { deleteCoupon } from './coupon/coupon.js';
import { couponHandlers } from './coupon/coupon.operations.js';
import { coupons } from './coupon/coupon.record.js';
import { Coupons } from './coupon/coupons.api.js';
import { entitlementHandlers } from './entitlement/entitlement.handler.js';
import { deleteEntitlement } from './entitlement/entitlement.js';
import { entitlements } from './entitlement/entitlement.record.js';
import { EntitlementWatch } from './entitlement/entitlement-watch.js';
import { Entitlements } from './entitlement/entitlements.api.js';
import { deleteOffer } from './offer/offer.js';
import { offerHandlers } from './offer/offer.operations.js';
import { offers } from './offer/offer.record.js';
import { Offers } from './offer/offers.api.js';
import { BuyerReceipts } from './payment/buyer-receipts.api.js';
import { Checkouts } from './payment/checkouts.api.js';
import { manualPaymentHandlers } from './payment/manual-payment.handler.js';
import { OpenPayments } from './payment/open-payments.js';
import { PaymentEffects } from './payment/payment-effects.api.js';
import { PaymentExpiry } from './payment/payment-expiry.js';
import { PaymentFollowing } from './payment/payment-following.api.js';
import { ProcessorEvents } from './payment/processor-events.api.js';
import { removePayment } from './payment/site-payment.js';
import { sitePayments } from './payment/site-payment.record.js';
import { TestMoney } from './payment/test-money.api.js';
import { VisitorPurchases } from './payment/visitor-purchases.api.js';
import { processorHandlers } from './processor/processor.handler.js';
import { ProcessorAccounts } from './processor/processor-accounts.api.js';
import { removeConnection } from './processor/processor-connection.js';
import { processorConnections } from './processor/processor-connection.record.js';
import { ProcessorSecrets } from './processor/processor-secrets.api.js';
import { ProcessorWebhooks } from './processor/processor-webhooks.api.js';
import { SyncProcessorProductsHandler } from './processor/sync-processor-products.handler.js';

/** What sites sell, and what their users hold because of it. */
export const paymentsSlices: readonly Slice[] = [
  slice(entitlements, [
    ...entitlementHandlers,
    Entitlements,
    EntitlementWatch,
    personSource(Entitlements, (known) => ({
      entitlementsOf: (workspaceId, userId) => known.factsOf(workspaceId, userId),
    })),
    projectContent(entitlements, deleteEntitlement),
    userContent(entitlements, 'appUserId', deleteEntitlement),
  ]),
  slice(offers, [...offerHandlers, Offers, projectContent(offers, deleteOffer)]),
  slice(coupons, [...couponHandlers, Coupons, projectContent(coupons, deleteCoupon)]),
  slice(sitePayments, [
    PaymentEffects,
    BuyerReceipts,
    PaymentFollowing,
    OpenPayments,
    TestMoney,
    PaymentExpiry,
    ProcessorEvents,
    Checkouts,
    VisitorPurchases,
    projectContent(sitePayments, removePayment),
    ...manualPaymentHandlers,
  ]),
  slice(processorConnections, [
    ProcessorAccounts,
    ProcessorSecrets,
    ProcessorWebhooks,
    projectContent(processorConnections, removeConnection),
    ...processorHandlers,
    SyncProcessorProductsHandler,
  ]),
];
