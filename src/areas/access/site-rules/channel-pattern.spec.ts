import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { byOrder, fits, overlap, wrongChannelPattern } from './channel-pattern.js';

describe('a pattern', () => {
  test.each(['news', 'chat:*', '*', 'chat-*', 'inbox:{self}', '{self}', 'a:{self}:*', 'a:{self}:b', 'größe:日本'])(
    'may be %s',
    (pattern) => expect(wrongChannelPattern(pattern)).toBeUndefined(),
  );

  test.each([
    ['', 'must be a text'],
    [7, 'must be a text'],
    ['a b', 'spaces or control characters'],
    ['a\u0000', 'spaces or control characters'],
    ['a\ud800', 'spaces or control characters'],
    ['*:b', 'only at its end'],
    ['a**', 'only at its end'],
    ['inbox:{self}*', 'only as a whole segment'],
    ['inbox-{self}', 'only as a whole segment'],
    ['a:{user}', 'only as a whole segment'],
    ['{self}:{self}', 'twice'],
    ['a'.repeat(201), 'at most 200'],
  ])('may not be %j', (pattern, why) => expect(wrongChannelPattern(pattern)).toContain(why));
});

describe('a channel matches', () => {
  test.each([
    ['news', 'news', 'yes'],
    ['news', 'News', 'no'],
    ['news', 'news:today', 'no'],
    ['chat:*', 'chat:1', 'yes'],
    ['chat:*', 'chat:1:2', 'yes'],
    ['chat:*', 'chat:', 'yes'],
    ['chat:*', 'chat', 'no'],
    ['chat:*', 'chats:1', 'no'],
    ['chat-*', 'chat-1:2', 'yes'],
    ['*', 'whatever:it:is', 'yes'],
    ['inbox:{self}', 'inbox:usr_1', 'yes'],
    ['inbox:{self}', 'inbox:usr_2', 'others'],
    ['inbox:{self}', 'inbox:usr_12', 'others'],
    ['inbox:{self}', 'inbox:', 'others'],
    ['inbox:{self}', 'inbox:usr_1:x', 'no'],
    ['inbox:{self}:*', 'inbox:usr_1:x', 'yes'],
    ['inbox:{self}:*', 'inbox:usr_2:x', 'others'],
    ['inbox:{self}:*', 'inbox:usr_1', 'no'],
    ['{self}', 'usr_1', 'yes'],
    ['inbox:{self}', 'inbox:{self}', 'others'],
  ])('the pattern %s and the channel %s match: %s', (pattern, channel, expected) =>
    expect(fits(pattern, channel, 'usr_1')).toBe(expected),
  );

  it("nobody's own for an anonymous visitor", () => {
    expect(fits('inbox:{self}', 'inbox:undefined', undefined)).toBe('others');
    expect(fits('inbox:{self}', 'inbox:', undefined)).toBe('others');
  });

  it("never as one's own with the id of another", () => {
    const ids = fc.stringMatching(/^usr_[0-9a-z]{1,6}$/);
    fc.assert(
      fc.property(ids, ids, fc.constantFrom('inbox:{self}', 'a:{self}:*', '{self}:b'), (mine, theirs, pattern) => {
        fc.pre(mine !== theirs);
        const channel = pattern.replace('{self}', theirs).replace('*', 'rest');
        expect(fits(pattern, channel, mine)).toBe('others');
        expect(fits(pattern, channel, theirs)).toBe('yes');
      }),
    );
  });
});

describe('two patterns overlap', () => {
  test.each([
    ['news', 'news', true],
    ['news', 'news:*', false],
    ['news', '*', true],
    ['chat:*', 'chat:1', true],
    ['chat:*', 'chat:1:2*', true],
    ['chat:1*', 'chat:2*', false],
    ['chat-*', 'chat-1:*', true],
    ['chat:*', 'chats:1', false],
    ['inbox:{self}', 'inbox:1', true],
    ['inbox:{self}', 'inbox:1:2', false],
    ['x:y*', 'x:{self}:z', true],
    ['x:y*', 'x', false],
  ])('%s and %s: %j', (one, other, expected) => {
    expect(overlap(one, other)).toBe(expected);
    expect(overlap(other, one)).toBe(expected);
  });

  it('if a channel matches both', () => {
    const name = fc.array(fc.constantFrom('a', 'ab', 'b', ''), { minLength: 1, maxLength: 3 });
    const pattern = fc
      .tuple(fc.array(fc.constantFrom('a', 'ab', 'b', '', '{self}'), { maxLength: 2 }), fc.constantFrom('a', 'b*', '*'))
      .map(([segments, last]) => [...segments, last].join(':'));
    fc.assert(
      fc.property(pattern, pattern, name, (one, other, segments) => {
        const channel = segments.join(':');
        fc.pre(fits(one, channel, 'a') !== 'no' && fits(other, channel, 'a') !== 'no');
        expect(overlap(one, other)).toBe(true);
      }),
    );
  });
});

test('rules are tried by sortOrder, ties by pattern', () => {
  const rules = [
    { pattern: 'b', sortOrder: 1 },
    { pattern: 'a', sortOrder: 1 },
    { pattern: 'z', sortOrder: -5 },
    { pattern: 'B', sortOrder: 1 },
  ];
  expect(byOrder(rules).map(({ pattern }) => pattern)).toEqual(['z', 'B', 'a', 'b']);
});
