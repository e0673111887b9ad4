import { describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import type { Campaign } from '../campaign/campaign.record.js';
import { Pauses } from './pauses.js';

const minute = 60_000;
const campaign = { id: 'cmp_1', updatedAt: 'a' } as Campaign;

describe('a campaign that waits', () => {
  it('for its hour is checked every minute, and when the hour ends', () => {
    const clock = new MadeUpClock();
    const pauses = new Pauses(clock);
    for (let n = 0; n < 3; n += 1) {
      pauses.begin(campaign, 'hourly-limit', 20 * minute);
      clock.advance(minute - 1);
      expect(pauses.isPausing(campaign)).toBe(true);
      clock.advance(1);
      expect(pauses.isPausing(campaign)).toBe(false);
    }
    pauses.begin(campaign, 'hourly-limit', 1_000);
    clock.advance(1_000);
    expect(pauses.isPausing(campaign)).toBe(false);
  });

  it('for its mailbox is checked at growing intervals, and at once when it was changed', () => {
    const clock = new MadeUpClock();
    const pauses = new Pauses(clock);
    for (const minutes of [1, 2, 4, 8, 15, 15]) {
      pauses.begin(campaign, 'mailbox');
      clock.advance(minutes * minute - 1);
      expect(pauses.isPausing(campaign)).toBe(true);
      expect(pauses.isPausing({ ...campaign, updatedAt: 'b' })).toBe(false);
      clock.advance(1);
      expect(pauses.isPausing(campaign)).toBe(false);
    }
    pauses.end(campaign);
    pauses.begin(campaign, 'mailbox');
    clock.advance(minute);
    expect(pauses.isPausing(campaign)).toBe(false);
  });

  it('is checked when the clock was set back', () => {
    let now = Date.parse('2030-01-01T12:00:00.000Z');
    const pauses = new Pauses({ now: () => now });
    pauses.begin(campaign, 'mailbox');
    now -= 3_600_000;
    expect(pauses.isPausing(campaign)).toBe(false);
  });
});
