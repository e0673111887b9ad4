import { describe, expect, it } from '@jest/globals';
import { person } from '../../../../test/support/conditions/condition-facts.js';
import type { SiteVisitor } from '../../app-users/site-pass/site-passes.api.js';
import type { Sender } from '../channel/channel-message.api.js';
import { refuse } from '../realtime.refusals.js';
import { LiveSession, nextChangeOf } from './live-session.js';
import type { SessionTools } from './session-tools.js';

const at = (hour: number) => Date.UTC(2030, 0, 1, hour);
const entitled = (expiresAt: number | null, graceUntil: number | null = null) => ({
  key: 'pro',
  expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  graceUntil: graceUntil === null ? null : new Date(graceUntil).toISOString(),
});
const visitor = (until: number | undefined, ...entitlements: readonly object[]) =>
  ({
    ...(until === undefined ? {} : { until }),
    visitor: { person: person({ entitlements: entitlements as never }) },
  }) as unknown as SiteVisitor;

it.each<[string, SiteVisitor, number]>([
  ['never without an end', visitor(undefined, entitled(null)), Number.POSITIVE_INFINITY],
  ['when the session ends', visitor(at(5), entitled(at(9))), at(5)],
  ['when an entitlement ends before it', visitor(at(5), entitled(null), entitled(at(3))), at(3)],
  ['when its grace ends, once it has ended', visitor(at(5), entitled(at(0), at(4))), at(4)],
  ['never for what was over when it was looked at', visitor(at(1), entitled(at(1))), Number.POSITIVE_INFINITY],
])('time alone changes the rights of a visitor %s', (_, who, next) => {
  expect(nextChangeOf(who, at(1))).toBe(next);
});

it('an anonymous visitor has no rights that end', () => {
  expect(nextChangeOf({ visitor: {} } as unknown as SiteVisitor, at(1))).toBe(Number.POSITIVE_INFINITY);
});

/** What tables answer when their lists are checked again. */
const answers = new Map<string, () => never>();
const rows = {
  calls: { visiting: () => ({}) },
  lists: { begin: async () => undefined, add: () => () => undefined },
  watch: {
    watched: async ({ table }: { readonly table: string }) => {
      answers.get(table)?.();
      return { tableId: table, filter: { all: [] }, key: 'all' };
    },
    difference: async () => [],
  },
};

/** A session of Ada until 5 o'clock. Channels admit her and, if they are `open`, everybody. */
function sessionOfAda({ open = false } = {}) {
  const ada = { ...visitor(at(5)), visitor: { now: at(1) }, user: { id: 'ada' } } as unknown as SiteVisitor;
  const anonymous = { visitor: { now: at(2) } } as unknown as SiteVisitor;
  const whose = { ada, anonymous, now: ada };
  const told: { readonly type: string; readonly id?: number }[] = [];
  const present: (string | null)[] = [];
  const marked: string[] = [];
  const opening = {
    look: async () => whose.now,
    send: ({ text }: { readonly text: string }) => told.push(JSON.parse(text)),
  };
  const tools = {
    rights: {
      known: async () => ({}),
      denied: async (_: unknown, { user }: SiteVisitor) => (open || user ? undefined : { code: 'channel-denied' }),
    },
    channels: { listen: () => () => undefined },
    presence: {
      enter: (_: string, __: string, { id }: Sender) => {
        present.push(id);
        return () => present.splice(present.indexOf(id), 1);
      },
      presentIn: () => ({ present: [], total: 0 }),
    },
    rows,
  } as unknown as SessionTools;
  const session = new LiveSession(opening as never, ada, tools, (staleness) => marked.push(staleness));
  const judge = () => session.judgeAgain('person', {} as never);
  return { session, whose, told, present, marked, judge };
}

describe('messages of a visitor whose session is over', () => {
  it('leave the session to be found by its user and its end, so that its subscriptions end', async () => {
    const { session, whose, told, marked, judge } = sessionOfAda();
    await session.subscribe('presence:news', 1);
    whose.now = whose.anonymous;
    await session.presence('presence:news', 2);
    await session.publish('presence:news', 'x', 3);
    await session.subscribe('presence:other', 4);
    expect(told.map(({ type, id }) => [type, id])).toEqual([
      ['subscribed', 1],
      ['refused', 2],
      ['refused', 3],
      ['refused', 4],
    ]);
    expect([session.userId, session.nextChangeAt, session.lookedAt, marked]).toEqual(['ada', at(5), at(1), []]);
    await judge();
    expect(told.at(-1)).toMatchObject({ type: 'refused', channel: 'presence:news', code: 'channel-denied' });
    expect([session.isIdle, session.userId, session.lookedAt]).toEqual([true, undefined, at(2)]);
  });

  it('do not leave the former user present', async () => {
    const { session, whose, present, judge } = sessionOfAda({ open: true });
    await session.subscribe('presence:news', 1);
    whose.now = whose.anonymous;
    await session.presence('presence:news', 2);
    await session.subscribe('presence:other', 3);
    expect(present).toEqual(['ada', null]);
    await judge();
    expect(present).toEqual([null, null]);
  });
});

it('a visitor whose session is valid again is marked, and shown as present once', async () => {
  const { session, whose, present, marked, judge } = sessionOfAda();
  whose.now = whose.anonymous;
  await judge();
  whose.now = whose.ada;
  await session.subscribe('presence:news', 1);
  expect(marked).toEqual(['person']);
  await judge();
  expect([session.userId, session.nextChangeAt, present]).toEqual(['ada', at(5), ['ada']]);
});

describe('lists of rows', () => {
  /** @param bytes size of its JSON */
  const filterOf = (bytes: number) => ({ n: 'x'.repeat(bytes - '{"n":""}'.length) });

  it('of one connection have filters of 16 KB together at most', async () => {
    const { session, told } = sessionOfAda();
    const follow = (id: number, bytes?: number) =>
      session.subscribeRows('T', bytes === undefined ? undefined : filterOf(bytes), id);
    const errors = [{ path: 'filter', message: expect.stringContaining('at most 16 KB') }];
    const tooLong = { code: 'invalid-input', facts: { errors } };
    await expect(follow(1, 16_385)).rejects.toMatchObject(tooLong);
    await follow(1, 16_000);
    await follow(2, 384);
    await expect(follow(3, 9)).rejects.toMatchObject(tooLong);
    await follow(4);
    await follow(1, 15_991);
    await follow(3, 9);
    session.unsubscribeRows(2);
    await follow(5, 384);
    expect(told.filter(({ type }) => type === 'subscribed').map(({ id }) => id)).toEqual([1, 2, 4, 1, 3, 5]);
  });

  it('are all checked again, also if one of them cannot be at present', async () => {
    const { session, told, judge } = sessionOfAda();
    await session.subscribeRows('busy', undefined, 1);
    await session.subscribeRows('denied', undefined, 2);
    answers.set('busy', () => refuse('row-queries-taken')).set('denied', () => refuse('channel-denied'));
    await expect(judge()).rejects.toMatchObject({ code: 'row-queries-taken' });
    expect(told.slice(2)).toMatchObject([{ type: 'refused', id: 2, code: 'channel-denied' }]);
    answers.delete('busy');
    await judge();
    expect(session.isIdle).toBe(false);
    expect(told).toHaveLength(3);
  });
});
