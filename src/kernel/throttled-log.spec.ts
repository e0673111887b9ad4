import { beforeEach, describe, expect, it } from '@jest/globals';
import { throttledLog } from './throttled-log.js';

describe('a sentence that comes again and again', () => {
  let time: number;
  let heard: string[];
  let say: (sentence: string) => void;
  beforeEach(() => {
    time = 0;
    heard = [];
    say = throttledLog(
      (sentence) => heard.push(sentence),
      () => time,
    );
  });

  it('is said at once, and then once a minute with how often it came', () => {
    for (time = 0; time < 120_000; time += 1_000) say('away');
    expect(heard).toEqual(['away', 'away (59 times more since it was last said)']);
  });

  it('keeps no other from being said', () => {
    for (const sentence of ['away', 'broken', 'away', 'broken']) say(sentence);
    expect(heard).toEqual(['away', 'broken']);
  });

  it('is said as new when it has rested', () => {
    say('away');
    time = 60_000;
    say('away');
    expect(heard).toEqual(['away', 'away']);
  });

  it('is not taken for one that was said, however many others there are', () => {
    for (let n = 0; n < 1_000; n += 1) say(`number ${n}`);
    expect(heard).toHaveLength(1_000);
  });
});
