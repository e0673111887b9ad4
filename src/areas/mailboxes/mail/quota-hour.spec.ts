import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countInHour, type Hour, msLeftInHour } from './mail.record.js';
import { giveBack, noHour, takePlaces } from './quota-hour.js';

const hour = 3_600_000;
const at = (ms: number) => new Date(ms).toISOString();

describe('a mailbox’s hour', () => {
  it('starts at its first send and ends an hour later, however much is sent in between', () => {
    let now = takePlaces(noHour, 1, 10, 0) as Hour;
    expect(now).toEqual({ startedAt: at(0), count: 1 });
    now = takePlaces(now, 2, 10, hour - 1) as Hour;
    expect(now).toEqual({ startedAt: at(0), count: 3 });
    expect(takePlaces(now, 4, 10, hour)).toEqual({ startedAt: at(hour), count: 4 });
  });

  it('counts nothing after its end', () => {
    const now = { startedAt: at(0), count: 7 };
    expect([hour - 1, hour].map((ms) => countInHour(now, ms))).toEqual([7, 0]);
    expect([0, hour - 5, hour + 5].map((ms) => msLeftInHour(now, ms))).toEqual([hour, 5, 0]);
  });

  it('has room for exactly its limit', () => {
    const now = { startedAt: at(0), count: 9 };
    expect(takePlaces(now, 1, 10, 5)).toEqual({ startedAt: at(0), count: 10 });
    expect(takePlaces(now, 2, 10, 5)).toBeUndefined();
    expect(takePlaces(now, 2, 10, hour)).toEqual({ startedAt: at(hour), count: 2 });
    expect(takePlaces(noHour, 11, 10, 5)).toBeUndefined();
  });

  it('can be refunded for its own sends, and not for those of another hour', () => {
    const now = { startedAt: at(0), count: 3 };
    expect(giveBack(now, { startedAt: at(0) }, 2)).toEqual({ startedAt: at(0), count: 1 });
    expect(giveBack(now, { startedAt: at(0) }, 3)).toEqual(noHour);
    expect(giveBack(now, { startedAt: at(1) }, 1)).toBeUndefined();
  });

  it('never exceeds its limit, and two limits in any hour of the clock', () => {
    const sends = fc.array(fc.tuple(fc.nat(hour), fc.integer({ min: 1, max: 4 })), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), sends, (limit, wanted) => {
        let [now, ms] = [noHour, 0];
        const taken: (readonly [number, number])[] = [];
        for (const [pause, size] of wanted) {
          ms += pause;
          const next = takePlaces(now, size, limit, ms);
          if (next === undefined) continue;
          now = next;
          taken.push([ms, size]);
          expect(next.count).toBeLessThanOrEqual(limit);
        }
        for (const [from] of taken) {
          const within = taken.filter(([when]) => when >= from && when < from + hour);
          expect(within.reduce((sum, [, size]) => sum + size, 0)).toBeLessThanOrEqual(2 * limit);
        }
      }),
    );
  });
});
