import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { LocalLeases } from '../../adapters/leases/local/local-leases.adapter.js';
import { recoveryDuty } from './recovery-duty.js';

Logger.overrideLogger(false);

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the settling of open work', () => {
  it('begins without the message broker, and publishes again once that answers', async () => {
    const clock = new MadeUpClock();
    const leases = new LocalLeases();
    const seen: string[] = [];
    let isAway = true;
    const duty = recoveryDuty({
      name: 'open-work',
      clock,
      leases,
      look: async () => void seen.push('look'),
      publishAgain: async () => {
        seen.push(isAway ? 'away' : 'published');
        if (isAway) throw new Error('No broker.');
      },
    });
    await duty.start();
    expect(seen).toEqual(['look']);
    for (const away of [true, false]) {
      isAway = away;
      clock.advance(leases.settleEveryMs);
      await settled();
    }
    expect(seen).toEqual(['look', 'look', 'away', 'look', 'published']);
    await duty.stop();
    clock.advance(leases.settleEveryMs);
    await settled();
    expect(seen).toHaveLength(5);
  });
});
