import { describe, expect, it } from '@jest/globals';
import { MailRates } from './mail-rates.js';

describe('rates of mail', () => {
  it('let so many through in a minute, for each key by itself, and fill evenly', () => {
    const clock = { time: 0, now: () => clock.time, after: () => () => undefined };
    const rates = new MailRates(3, clock);
    const asked = (times: number, key = 'a') => Array.from({ length: times }, () => rates.take(key));
    expect(asked(4)).toEqual([true, true, true, false]);
    expect(asked(1, 'b')).toEqual([true]);
    clock.time += 20_000;
    expect(asked(2)).toEqual([true, false]);
    clock.time += 600_000;
    expect(asked(4)).toEqual([true, true, true, false]);
  });
});
