import { describe, expect, it } from '@jest/globals';
import { Rates } from './rates.js';

describe('rates', () => {
  it('let so many through in their time, for each key by itself, and fill evenly', () => {
    const clock = { time: 0, now: () => clock.time, after: () => () => undefined };
    const rates = new Rates({ burst: 3, fillMs: 60_000 }, clock);
    const asked = (times: number, key = 'a') => Array.from({ length: times }, () => rates.take(key));
    expect(asked(4)).toEqual([0, 0, 0, 20_000]);
    expect(asked(1, 'b')).toEqual([0]);
    clock.time += 5_000;
    expect(asked(1)).toEqual([15_000]);
    clock.time += 15_000;
    expect(asked(2)).toEqual([0, 20_000]);
    clock.time += 600_000;
    expect(asked(4)).toEqual([0, 0, 0, 20_000]);
  });
});
