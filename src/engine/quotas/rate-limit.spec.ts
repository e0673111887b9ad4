import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { refusalOf } from '../refusals/engine.refusals.js';
import { RateLimit } from './rate-limit.js';

describe('a rate limit', () => {
  it('permits its number per period for each key separately, and refills evenly', () => {
    const clock = new MadeUpClock();
    const limit = new RateLimit({ burst: 3, fillMs: 60_000 }, clock);
    const asked = (times: number, key = 'a') => Array.from({ length: times }, () => limit.consume(key));
    expect(asked(4)).toEqual([0, 0, 0, 20_000]);
    expect(asked(1, 'b')).toEqual([0]);
    clock.advance(5_000);
    expect(asked(1)).toEqual([15_000]);
    clock.advance(15_000);
    expect(asked(2)).toEqual([0, 20_000]);
    clock.advance(600_000);
    expect(asked(4)).toEqual([0, 0, 0, 20_000]);
  });

  it('permits a cost above the balance, and nothing more until that is paid off', () => {
    const clock = new MadeUpClock();
    const limit = new RateLimit({ burst: 10, fillMs: 10_000 }, clock);
    expect([limit.consume('a', 25), limit.consume('a'), limit.consume('a', 5)]).toEqual([0, 16_000, 16_000]);
    clock.advance(15_999);
    expect(limit.consume('a')).toBe(1);
    clock.advance(1);
    expect(limit.consume('a', 1)).toBe(0);
  });

  it('refuses with the seconds to wait, and permits a call after them', () => {
    const clock = new MadeUpClock();
    const limit = new RateLimit({ burst: 1, fillMs: 1_500 }, clock);
    const tooOften = () => refusalOf('resource-not-found');
    limit.enforce('a', tooOften);
    expect(() => limit.enforce('a', tooOften)).toThrow(Refusal);
    try {
      limit.enforce('a', tooOften);
    } catch (error) {
      expect(error).toMatchObject({ code: 'resource-not-found', facts: { retryAfterSeconds: 2 } });
    }
    clock.advance(1_500);
    limit.enforce('a', tooOften);
  });

  it('permits everything without a burst', () => {
    const limit = new RateLimit({ burst: 0, fillMs: 1 }, new MadeUpClock());
    for (let n = 0; n < 1_000; n++) expect(limit.consume('a')).toBe(0);
  });

  it('permits at most a burst and the refill in any period, and states the right wait', () => {
    const burst = fc.integer({ min: 1, max: 20 });
    const fillMs = fc.integer({ min: 1, max: 100_000 });
    const pauses = fc.array(fc.oneof(fc.constant(0), fc.nat(5_000)), { maxLength: 80 });
    fc.assert(
      fc.property(burst, fillMs, pauses, (most, fill, steps) => {
        const clock = new MadeUpClock(0);
        const limit = new RateLimit({ burst: most, fillMs: fill }, clock);
        const passed: number[] = [];
        for (const pause of steps) {
          clock.advance(pause);
          const waitMs = limit.consume('a');
          if (waitMs === 0) passed.push(clock.now());
          else {
            // Wait one more millisecond, because of rounding.
            clock.advance(waitMs + 1);
            expect(limit.consume('a')).toBe(0);
            passed.push(clock.now());
          }
        }
        for (const [at, from] of passed.entries()) {
          for (const [further, to] of passed.slice(at).entries()) {
            expect(further + 1).toBeLessThanOrEqual(most + ((to - from) * most) / fill + 1e-6);
          }
        }
      }),
    );
  });

  it('forgets the least recently used key beyond fifty thousand', () => {
    const limit = new RateLimit({ burst: 1, fillMs: 60_000 }, new MadeUpClock());
    for (let n = 0; n < 50_000; n++) limit.consume(`k${n}`);
    expect(limit.consume('k0')).toBe(60_000);
    limit.consume('one more');
    expect(limit.consume('k0')).toBe(60_000);
    expect(limit.consume('k1')).toBe(0);
  });
});
