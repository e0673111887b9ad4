import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../test/support/given/given.js';
import type { Json } from '../../../kernel/json/json.js';
import type { SiteVisitor } from '../../app-users/site-pass/site-passes.api.js';
import { mustBeChannel, mustBeData, senderOf, tellsPresence } from './channel-message.api.js';
import { PresenceBook } from './presence-book.js';

const outcome = (check: () => unknown) =>
  given().when(() => {
    check();
    return [];
  });

describe('a message', () => {
  it.each(['orders', 'room:7', 'ü😀', '__proto__', 'x'.repeat(200)])('is sent to the channel %j', (name) => {
    expect(mustBeChannel(name)).toBe(name);
  });

  it.each([undefined, 7, '', 'two words', 'tab\t', 'zero\u0000', '\ud800', 'x'.repeat(201)])(
    'is sent to no channel %j',
    (name) => {
      outcome(() => mustBeChannel(name)).refuses('channel-invalid');
    },
  );

  it('has data of at most 32 KB', () => {
    for (const data of [null, 0, 'x'.repeat(32_766)] as Json[]) expect(mustBeData(data)).toBe(data);
    outcome(() => mustBeData(undefined)).refuses('realtime-data-missing');
    outcome(() => mustBeData('x'.repeat(32_767))).refuses('realtime-data-too-large');
    outcome(() => mustBeData('é'.repeat(16_384))).refuses('realtime-data-too-large');
  });

  it.each<[string, object, object]>([
    ['a user', { user: { id: 'user_1' }, visitor: { member: { id: 'mem_1' } } }, { kind: 'user', id: 'user_1' }],
    ['a member', { visitor: { member: { id: 'mem_1' } } }, { kind: 'member', id: 'mem_1' }],
    ['a guest', { guestId: 'guest_1', visitor: {} }, { kind: 'guest', id: 'guest_1' }],
    ['somebody else', { visitor: {} }, { kind: 'visitor', id: null }],
  ])('names its sender as %s', (_, visitor, sender) => {
    expect(senderOf(visitor as SiteVisitor)).toEqual(sender);
  });
});

describe('presence', () => {
  const at = { projectId: 'proj_1', channel: 'presence:room' };
  const ada = { kind: 'user', id: 'ada' } as const;
  const bob = { kind: 'user', id: 'bob' } as const;

  it('is reported at channels with that setting', () => {
    expect([tellsPresence('presence:room'), tellsPresence('room')]).toEqual([true, false]);
  });

  it('counts the connections of each, over all processes', () => {
    const [here, there] = [new PresenceBook(), new PresenceBook()];
    expect(here.count(at.projectId, at.channel, bob, 1)).toEqual({ ...at, ...bob, connections: 1 });
    here.count(at.projectId, at.channel, ada, 1);
    there.set({ ...at, ...ada, connections: 2 });
    there.count(at.projectId, 'presence:other', bob, 1);
    expect(PresenceBook.together([here, there], at)).toEqual([
      { ...ada, connections: 3 },
      { ...bob, connections: 1 },
    ]);
  });

  it('ends with the last connection', () => {
    const book = new PresenceBook();
    book.count(at.projectId, at.channel, ada, 2);
    expect(book.count(at.projectId, at.channel, ada, -1)).toMatchObject({ connections: 1 });
    expect(book.all()).toHaveLength(1);
    expect(book.count(at.projectId, at.channel, ada, -1)).toMatchObject({ connections: 0 });
    expect([book.isEmpty, PresenceBook.together([book], at)]).toEqual([true, []]);
  });
});
