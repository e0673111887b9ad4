import { describe, expect, it, test } from '@jest/globals';
import { isHeld } from './entitlement.js';
import type { EntitlementFacts } from './facts.js';

const at = (iso: string) => Date.parse(iso);
const entitlement = (given: Partial<EntitlementFacts>): EntitlementFacts => ({
  key: 'member',
  state: 'granted',
  expiresAt: null,
  graceUntil: null,
  ...given,
});

describe('an entitlement', () => {
  it('without an expiry is held for life, and a grace period changes nothing', () => {
    expect(isHeld(entitlement({}), at('2999-01-01'))).toBe(true);
    expect(isHeld(entitlement({ graceUntil: '2030-01-01' }), at('2999-01-01'))).toBe(true);
  });

  it('is held until its expiry and not at it', () => {
    const one = entitlement({ expiresAt: '2030-06-01T12:00:00Z' });
    expect(isHeld(one, at('2030-06-01T11:59:59.999Z'))).toBe(true);
    expect(isHeld(one, at('2030-06-01T12:00:00Z'))).toBe(false);
  });

  it('is held past its expiry until the end of the grace period', () => {
    const one = entitlement({ expiresAt: '2030-06-01', graceUntil: '2030-06-08' });
    expect(isHeld(one, at('2030-06-07T23:59:59Z'))).toBe(true);
    expect(isHeld(one, at('2030-06-08'))).toBe(false);
  });

  it('that is suspended is held until the end of the grace period, and not at all without one', () => {
    const one = entitlement({ state: 'suspended', graceUntil: '2030-06-08' });
    expect(isHeld(one, at('2030-06-07'))).toBe(true);
    expect(isHeld(one, at('2030-06-08'))).toBe(false);
    expect(isHeld(entitlement({ state: 'suspended' }), at('2000-01-01'))).toBe(false);
    expect(isHeld(entitlement({ state: 'suspended', expiresAt: '2031-01-01' }), at('2030-01-01'))).toBe(false);
  });

  it('that is revoked is not held, whatever its dates are', () => {
    const one = entitlement({ state: 'revoked', expiresAt: '2031-01-01', graceUntil: '2032-01-01' });
    expect(isHeld(one, at('2030-01-01'))).toBe(false);
  });

  test.each([
    entitlement({ expiresAt: 'next year' }),
    entitlement({ expiresAt: '2030-01-01', graceUntil: '2030-02-30' }),
    entitlement({ state: 'suspended', graceUntil: '' }),
    entitlement({ state: 'paused' as never }),
  ])('%j cannot be judged', (one) => {
    expect(isHeld(one, at('2030-06-01'))).toBeUndefined();
  });
});
