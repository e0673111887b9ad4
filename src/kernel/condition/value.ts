/**
 * What a part comes to. `fault`: it cannot be told. It takes the whole condition with it, past every `not` and `any`,
 * and is a denial in the end. `open`: that depends on a function that has not been asked yet.
 */
export type Value = 'allowed' | 'denied' | 'open' | 'fault';

export const opposite: Readonly<Record<Value, Value>> = {
  allowed: 'denied',
  denied: 'allowed',
  open: 'open',
  fault: 'fault',
};

interface Joining {
  /** What no part at all would come to. */
  readonly start: Value;
  /** The heaviest value of its parts is the group's. */
  readonly weight: Readonly<Record<Value, number>>;
}

const any: Joining = { start: 'denied', weight: { denied: 0, open: 1, allowed: 2, fault: 3 } };
const all: Joining = { start: 'allowed', weight: { allowed: 0, open: 1, denied: 2, fault: 3 } };

export const joinings: Readonly<Record<'all' | 'any' | 'list', Joining>> = { all, any, list: any };
