import { beforeEach, describe, expect, it } from '@jest/globals';
import { throttledLog } from './throttled-log.js';

describe('a repeated message', () => {
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

  it('is logged at once, and then once a minute with its count', () => {
    for (time = 0; time < 120_000; time += 1_000) say('away');
    expect(heard).toEqual(['away', 'away (59 more times since it was last logged)']);
  });

  it('does not suppress others', () => {
    for (const sentence of ['away', 'broken', 'away', 'broken']) say(sentence);
    expect(heard).toEqual(['away', 'broken']);
  });

  it('is logged as new after a pause', () => {
    say('away');
    time = 60_000;
    say('away');
    expect(heard).toEqual(['away', 'away']);
  });

  it('is distinguished from others, however many there are', () => {
    for (let n = 0; n < 1_000; n += 1) say(`number ${n}`);
    expect(heard).toHaveLength(1_000);
  });
});
