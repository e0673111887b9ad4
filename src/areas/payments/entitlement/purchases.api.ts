import type { JsonObject } from '../../../kernel/json/json.js';
import { extendEntitlement, grantEntitlement, revokeEntitlement } from './entitlement.js';
import { byServiceLast, type Entitlement, type EntitlementEvent, type EntitlementOf } from './entitlement.record.js';

/** Times are in ISO 8601. If `until` is null, access never ends. */
export type PurchasedAccess =
  | { readonly kind: 'none' }
  | { readonly kind: 'held'; readonly until: string | null; readonly graceUntil: string | null }
  | { readonly kind: 'taken-back' };

export interface Purchase {
  readonly paymentId: string;
  readonly source: JsonObject;
  /** Time at which the payment was first reported as successful. */
  readonly succeededAt: string | null;
  /** Time at which money for it was last reported, for example for the latest period of a subscription. */
  readonly paidAt: string | null;
  readonly access: PurchasedAccess;
}

type GivingPurchase = Purchase & { readonly access: Extract<PurchasedAccess, { readonly kind: 'held' }> };

/**
 * Returns the events that make the entitlement match the purchases. Idempotent. After a revocation or suspension,
 * purchases made before it give no access, even if they are still paid. After an extension by a member or function,
 * which can also shorten access, purchases paid before it give no access after the end that it set.
 */
export function followPurchases(
  before: Entitlement | undefined,
  of: EntitlementOf,
  purchases: readonly Purchase[],
): readonly EntitlementEvent[] {
  const best = bestOf(purchases.filter((one) => isGiven(one, before)).map((one) => limited(one, before)));
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
    // A grant by a member or function is not replaced if it lasts at least as long as the purchase.
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

function limited(one: GivingPurchase, before: Entitlement | undefined): GivingPurchase {
  const set = before?.endSet ?? null;
  if (set === null || (one.paidAt ?? '') > set.at) return one;
  const { expiresAt: until, graceUntil } = set;
  return isLater(endOf(one.access), endOf({ until, graceUntil }))
    ? { ...one, access: { kind: 'held', until, graceUntil } }
    : one;
}

function bestOf(all: readonly GivingPurchase[]): GivingPurchase | undefined {
  const newestFirst = all.toSorted((a, b) => (isNewer(a, b) ? -1 : 1));
  return newestFirst.reduce<GivingPurchase | undefined>(
    (best, one) => (best === undefined || isLater(endOf(one.access), endOf(best.access)) ? one : best),
    undefined,
  );
}

const isNewer = (a: Purchase, b: Purchase): boolean =>
  `${a.succeededAt} ${a.paymentId}` > `${b.succeededAt} ${b.paymentId}`;

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
