/**
 * `fault`: the rule cannot be evaluated. A fault makes the whole condition a fault, even inside a `not` or `any`, and
 * so denies access. `open`: the value is not known yet, because it depends on a function that has not been called or,
 * in a tree for a whole table, on the row.
 */
export type Value = 'allowed' | 'denied' | 'open' | 'fault';

export const opposite: Readonly<Record<Value, Value>> = {
  allowed: 'denied',
  denied: 'allowed',
  open: 'open',
  fault: 'fault',
};

interface Joining {
  readonly start: Value;
  /** The group gets the value of the part with the highest weight. */
  readonly weight: Readonly<Record<Value, number>>;
}

const any: Joining = { start: 'denied', weight: { denied: 0, open: 1, allowed: 2, fault: 3 } };
const all: Joining = { start: 'allowed', weight: { allowed: 0, open: 1, denied: 2, fault: 3 } };

export const joinings: Readonly<Record<'all' | 'any' | 'list', Joining>> = { all, any, list: any };
