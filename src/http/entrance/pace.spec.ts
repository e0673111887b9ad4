import { describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { Pace } from './pace.js';

const second = 1_000;

function stage() {
  const clock = new MadeUpClock();
  let ended = false;
  const pace = new Pace(clock, { bytesPerSecond: 100, behindMs: 10 * second }, () => {
    ended = true;
  });
  const pass = (seconds: number) => {
    for (let n = 0; n < seconds; n++) clock.advance(second);
    return ended;
  };
  return { pace, pass };
}

describe('the minimum pace of a transfer', () => {
  it('ends one that moves nothing after the allowed delay', () => {
    const { pass } = stage();
    expect([pass(9), pass(1)]).toEqual([false, true]);
  });

  it('lets one continue forever that keeps it', () => {
    const { pace, pass } = stage();
    for (let n = 0; n < 1_000; n++) {
      pace.moved(500);
      expect(pass(5)).toBe(false);
    }
  });

  it('ends one that moves a little now and then', () => {
    const { pace, pass } = stage();
    let lasted = 0;
    for (; lasted < 1_000 && !pass(8); lasted++) pace.moved(100);
    expect(lasted).toBe(1);
  });

  it('gives no credit for a fast beginning in a long silence', () => {
    const { pace, pass } = stage();
    pace.moved(1_000_000);
    expect([pass(9), pass(1)]).toEqual([false, true]);
  });

  it('does not count time in which it has to wait', () => {
    const { pace, pass } = stage();
    pass(9);
    pace.rest();
    expect(pass(100)).toBe(false);
    pace.goOn();
    expect([pass(0), pass(1)]).toEqual([false, true]);
  });

  it('ends nothing when the transfer is over', () => {
    const { pace, pass } = stage();
    pace.stop();
    expect(pass(100)).toBe(false);
  });
});
