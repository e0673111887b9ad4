/**
 * What a processor reported about a payment. Events can arrive repeatedly and in any order, so facts with the same key
 * are merged, with the same result in either order. Times are those of the processor, in ISO 8601.
 */
export type ProcessorFact =
  | { readonly kind: 'paid'; readonly at: string }
  | { readonly kind: 'subscribed'; readonly at: string }
  | { readonly kind: 'awaited'; readonly at: string }
  | { readonly kind: 'not-paid'; readonly at: string }
  | { readonly kind: 'checkout-expired'; readonly at: string }
  /** `until` is the end of the paid period. `amount` is 0 for the invoice of a trial. */
  | {
      readonly kind: 'invoice-paid';
      readonly invoiceId: string;
      readonly at: string;
      readonly until: string;
      readonly amount: number;
    }
  | { readonly kind: 'invoice-failed'; readonly invoiceId: string; readonly at: string }
  /** Reported at the time `at`: the subscription is in a trial, which lasts until `until`. */
  | { readonly kind: 'trial'; readonly at: string; readonly until: string }
  /**
   * The subscription is in a period that lasts until `until`. The processor charges for it some time after it begins.
   */
  | { readonly kind: 'period'; readonly at: string; readonly until: string }
  | { readonly kind: 'ended'; readonly at: string }
  /**
   * `full` means that the whole amount was refunded. If `invoiceId` is null, the fact concerns the whole payment, not
   * one invoice.
   */
  | {
      readonly kind: 'refunded';
      readonly invoiceId: string | null;
      readonly at: string;
      readonly amount: number;
      readonly full: boolean;
    }
  | { readonly kind: 'disputed'; readonly invoiceId: string | null; readonly at: string }
  /** The checkout or invoice with the id `object` has another amount or currency than agreed, so it gives no access. */
  | { readonly kind: 'mismatch'; readonly object: string; readonly at: string; readonly problem: string };

export type ProcessorFacts = Readonly<Record<string, ProcessorFact>>;
type Of<Kind extends ProcessorFact['kind']> = Extract<ProcessorFact, { readonly kind: Kind }>;

/**
 * Maximum number of paid invoices stored per payment, enough for four months of daily ones. Older invoices no longer
 * give access.
 */
const mostInvoices = 120;

export function keyOf(fact: ProcessorFact): string {
  switch (fact.kind) {
    case 'invoice-paid':
    case 'invoice-failed':
      return `${fact.kind} ${fact.invoiceId}`;
    case 'refunded':
    case 'disputed':
      return `${fact.kind} ${fact.invoiceId ?? ''}`;
    case 'mismatch':
      return `${fact.kind} ${fact.object}`;
    case 'paid':
    case 'subscribed':
    case 'awaited':
    case 'not-paid':
    case 'checkout-expired':
    case 'trial':
    case 'period':
    case 'ended':
      return fact.kind;
  }
}

export function learned(facts: ProcessorFacts, fact: ProcessorFact): ProcessorFacts {
  const key = keyOf(fact);
  const before = facts[key];
  const joined = before === undefined ? fact : join(before, fact);
  if (joined === before) return facts;
  const all = { ...facts, [key]: joined };
  return fact.kind === 'invoice-paid' ? withoutOldest(all) : all;
}

function join(before: ProcessorFact, fact: ProcessorFact): ProcessorFact {
  if (before.kind === 'refunded' && fact.kind === 'refunded') {
    const amount = Math.max(before.amount, fact.amount);
    const full = before.full || fact.full;
    const at = earlier(before.at, fact.at);
    const same = amount === before.amount && full === before.full && at === before.at;
    return same ? before : { ...before, amount, full, at };
  }
  // Of two trials or two periods, the later fact applies. If the times are equal, the fact that gives longer access
  // applies.
  if ((before.kind === 'trial' && fact.kind === 'trial') || (before.kind === 'period' && fact.kind === 'period')) {
    return `${fact.at} ${fact.until}` > `${before.at} ${before.until}` ? fact : before;
  }
  return rank(fact) < rank(before) ? fact : before;
}

/**
 * Orders facts by time, and facts with the same time in a fixed order. For most kinds, `join` returns the earlier of
 * two facts.
 */
const rank = (fact: ProcessorFact) => `${fact.at} ${JSON.stringify(fact)}`;

function withoutOldest(facts: ProcessorFacts): ProcessorFacts {
  const paid = factsOfKind(facts, 'invoice-paid');
  if (paid.length <= mostInvoices) return facts;
  const [oldest] = paid.toSorted((a, b) => (`${a.until} ${a.invoiceId}` < `${b.until} ${b.invoiceId}` ? -1 : 1));
  if (oldest === undefined) return facts;
  const { [keyOf(oldest)]: _, ...rest } = facts;
  return rest;
}

export function factsOfKind<Kind extends ProcessorFact['kind']>(
  facts: ProcessorFacts,
  kind: Kind,
): readonly Of<Kind>[] {
  return Object.values(facts).filter((fact): fact is Of<Kind> => fact.kind === kind);
}

export function factOf<Kind extends ProcessorFact['kind']>(facts: ProcessorFacts, kind: Kind): Of<Kind> | undefined {
  return factsOfKind(facts, kind)[0];
}

const earlier = (a: string, b: string) => (a < b ? a : b);
