/**
 * The value of a part. `fault`: it cannot be evaluated, which makes the whole condition a fault, past every `not` and
 * `any`, and so a denial. `open`: it depends on a function that was not called yet.
 */
export type Value = 'allowed' | 'denied' | 'open' | 'fault';

export const opposite: Readonly<Record<Value, Value>> = {
  allowed: 'denied',
  denied: 'allowed',
  open: 'open',
  fault: 'fault',
};

interface Joining {
  /** The value of a group without parts. */
  readonly start: Value;
  /** The group gets the value of its parts with the highest weight. */
  readonly weight: Readonly<Record<Value, number>>;
}

const any: Joining = { start: 'denied', weight: { denied: 0, open: 1, allowed: 2, fault: 3 } };
const all: Joining = { start: 'allowed', weight: { allowed: 0, open: 1, denied: 2, fault: 3 } };

export const joinings: Readonly<Record<'all' | 'any' | 'list', Joining>> = { all, any, list: any };
