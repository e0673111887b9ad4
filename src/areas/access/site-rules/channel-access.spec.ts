import { describe, expect, it, test } from '@jest/globals';
import { type ChannelSubscriber, channelDecision, publishDecision } from './channel-access.api.js';
import type { ChannelRule } from './site-rules.record.js';

const rule = (pattern: string, sortOrder = 0): ChannelRule => ({
  pattern,
  sortOrder,
  description: null,
  accessRules: { subscribe: { type: 'authenticated' } },
});
const ada: ChannelSubscriber = { kind: 'user', id: 'usr_ada' };
const guest: ChannelSubscriber = { kind: 'guest', id: 'gst_1' };
const nobody: ChannelSubscriber = { kind: 'nobody' };
const decided = (
  channel: string,
  who: ChannelSubscriber,
  channels: readonly ChannelRule[] = [],
  guestAccess = true,
) => {
  const decision = channelDecision({ channels, guestAccess }, channel, who);
  return decision.is === 'ruled' ? decision.rule.pattern : decision.is;
};

test('a channel without a matching pattern admits any signed-in user, and nobody else (AC-32)', () => {
  expect(decided('news', ada)).toBe('open');
  expect(decided('news', nobody)).toBe('closed');
  expect(decided('news', guest)).toBe('closed');
});

describe('patterns are tried in ascending sortOrder and the first match decides (RT-02)', () => {
  it('whatever the others would decide', () => {
    expect(decided('chat:1', ada, [rule('chat:*', 2), rule('chat:1', 1)])).toBe('chat:1');
    expect(decided('chat:1', ada, [rule('chat:*', 1), rule('chat:1', 2)])).toBe('chat:*');
    expect(decided('chat:2', nobody, [rule('chat:*', 1), rule('chat:1', 2)])).toBe('chat:*');
  });

  it('with ties decided by the text of the pattern', () => {
    expect(decided('chat:1', ada, [rule('chat:1'), rule('chat:*')])).toBe('chat:*');
  });

  it('and one with {self} closes the channels of others, whatever follows', () => {
    const rules = [rule('inbox:{self}', 1), rule('inbox:*', 2)];
    expect(decided('inbox:usr_ada', ada, rules)).toBe('inbox:{self}');
    expect(decided('inbox:usr_eve', ada, rules)).toBe('closed');
    expect(decided('inbox:usr_eve', nobody, rules)).toBe('closed');
    expect(decided('inbox:usr_eve:old', ada, rules)).toBe('inbox:*');
  });
});

describe('guests', () => {
  it('listen to their own channels only, while guest access is on', () => {
    expect(decided('guest:gst_1:chat', guest)).toBe('open');
    expect(decided('guest:gst_2:chat', guest)).toBe('closed');
    expect(decided('guest:gst_1', guest)).toBe('closed');
    expect(decided('guest:gst_1:chat', guest, [], false)).toBe('closed');
    expect(decided('chat:1', guest, [rule('chat:*')])).toBe('closed');
  });

  it('can be listened to by users only if a rule permits it', () => {
    expect(decided('guest:gst_1:chat', ada)).toBe('closed');
    expect(decided('guest:gst_1:chat', ada, [rule('guest:*')])).toBe('guest:*');
  });
});

describe('publishing', () => {
  const opened = (pattern: string, sortOrder = 0): ChannelRule => ({
    ...rule(pattern, sortOrder),
    accessRules: { publish: { type: 'authenticated' } },
  });
  const published = (
    channel: string,
    who: ChannelSubscriber,
    channels: readonly ChannelRule[] = [],
    guestAccess = true,
  ) => publishDecision({ channels, guestAccess }, channel, who).is;

  it('is closed to visitors without a rule for it, even if everybody signed in listens', () => {
    expect(published('news', ada)).toBe('closed');
    expect(published('news', ada, [rule('news')])).toBe('closed');
    expect(published('news', ada, [opened('news')])).toBe('ruled');
    expect(published('news', nobody, [opened('news')])).toBe('ruled');
  });

  it('is decided by the first matching pattern, even if that has no rule for it', () => {
    expect(published('news', ada, [rule('news', 1), opened('*', 2)])).toBe('closed');
    expect(published('news', ada, [opened('news', 1), rule('*', 2)])).toBe('ruled');
    expect(published('inbox:usr_eve', ada, [opened('inbox:{self}', 1), opened('*', 2)])).toBe('closed');
  });

  it('is open to guests where they listen, if a rule permits it', () => {
    expect(published('guest:gst_1:chat', guest)).toBe('closed');
    expect(published('guest:gst_1:chat', guest, [opened('guest:{self}:*')])).toBe('ruled');
    expect(published('guest:gst_2:chat', guest, [opened('guest:*')])).toBe('closed');
    expect(published('guest:gst_1:chat', guest, [opened('guest:*')], false)).toBe('closed');
    expect(published('news', guest, [opened('news')])).toBe('closed');
  });
});
