import type { JsonObject } from '../../../kernel/json/json.js';
import { extendEntitlement, grantEntitlement, revokeEntitlement } from './entitlement.js';
import { byServiceLast, type Entitlement, type EntitlementEvent, type EntitlementOf } from './entitlement.record.js';

/** The access that a payment gives. Times are in ISO 8601; an `until` of null means for life. */
export type PurchasedAccess =
  /** The payment gives no access yet, or never will. */
  | { readonly kind: 'none' }
  | { readonly kind: 'held'; readonly until: string | null; readonly graceUntil: string | null }
  /** The payment gave access but no longer does. */
  | { readonly kind: 'taken-back' };

/** The facts of a payment that affect an entitlement. */
export interface Purchase {
  readonly paymentId: string;
  /** The reason recorded with the grant. */
  readonly source: JsonObject;
  /** When the payment was first known to have succeeded; null if never. */
  readonly succeededAt: string | null;
  readonly access: PurchasedAccess;
}

type GivingPurchase = Purchase & { readonly access: Extract<PurchasedAccess, { readonly kind: 'held' }> };

/**
 * Derives the events from all payments for an entitlement. Idempotent. A purchase after a revocation or a suspension
 * gives access again. Earlier purchases no longer do, even if they are still paid.
 */
export function followPurchases(
  before: Entitlement | undefined,
  of: EntitlementOf,
  purchases: readonly Purchase[],
): readonly EntitlementEvent[] {
  const best = bestOf(purchases.filter((one) => isGiven(one, before)));
  const isOfPayment = before?.source?.['type'] === 'payment';
  const paidBy = isOfPayment
    ? purchases.find(({ paymentId }) => paymentId === before?.source?.['paymentId'])
    : undefined;
  const isTakenBack = paidBy?.access.kind === 'taken-back';
  if (best === undefined) return isTakenBack && before?.state !== 'revoked' ? revokeEntitlement(before) : [];
  const ends = endsOf(best);
  const granted = () => grantEntitlement(before, of, { ...ends, source: best.source });
  if (before === undefined || before.state !== 'granted') return granted();
  if (best.paymentId !== paidBy?.paymentId) {
    // A person's grant remains if it lasts at least as long.
    const isPersons = paidBy === undefined || (!isTakenBack && !byServiceLast(before));
    const asLate = !isLater(endOf(best.access), endOf({ until: before.expiresAt, graceUntil: before.graceUntil }));
    return isPersons && asLate ? [] : granted();
  }
  const { until, graceUntil } = best.access;
  if (before.expiresAt === until && before.graceUntil === graceUntil) return [];
  if (until === null) return granted();
  return extendEntitlement(before, { ...ends, expiresAt: until, atLeast: !byServiceLast(before) });
}

function isGiven(one: Purchase, before: Entitlement | undefined): one is GivingPurchase {
  if (one.access.kind !== 'held' || one.succeededAt === null) return false;
  const since = before?.withheldSince ?? null;
  return since === null || one.succeededAt > since;
}

/** Returns the purchase with the longest access; of several, the newest. */
function bestOf(all: readonly GivingPurchase[]): GivingPurchase | undefined {
  const newestFirst = all.toSorted((a, b) => (isNewer(a, b) ? -1 : 1));
  return newestFirst.reduce<GivingPurchase | undefined>(
    (best, one) => (best === undefined || isLater(endOf(one.access), endOf(best.access)) ? one : best),
    undefined,
  );
}

const isNewer = (a: Purchase, b: Purchase): boolean =>
  `${a.succeededAt} ${a.paymentId}` > `${b.succeededAt} ${b.paymentId}`;

/** Returns null if access never ends. */
function endOf({ until, graceUntil }: { readonly until: string | null; readonly graceUntil: string | null }) {
  return until === null ? null : (graceUntil ?? until);
}

const isLater = (one: string | null, than: string | null): boolean => than !== null && (one === null || one > than);

function endsOf({ access: { until, graceUntil } }: GivingPurchase): {
  readonly expiresAt?: string;
  readonly graceUntil?: string;
} {
  return { ...(until === null ? {} : { expiresAt: until }), ...(graceUntil === null ? {} : { graceUntil }) };
}
