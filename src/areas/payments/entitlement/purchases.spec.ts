import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../../test/support/depth.js';
import { recorded } from '../../../../test/support/given/given.js';
import type { Actor } from '../../../kernel/event/event.js';
import { extendEntitlement, grantEntitlement, revokeEntitlement, suspendEntitlement } from './entitlement.js';
import { type Entitlement, type EntitlementEvent, entitlements } from './entitlement.record.js';
import { followPurchases, type Purchase, type PurchasedAccess } from './purchases.api.js';

const of = { projectId: 'proj_1', appUserId: 'usr_1', key: 'member' };
const begin = Date.parse('2030-01-01T00:00:00Z');
const hour = 3_600_000;
const iso = (time: number) => new Date(time).toISOString();
const service: Actor = { kind: 'system', id: 'system', name: 'payments' };
const person: Actor = { kind: 'person', id: 'mem_1', name: 'Ada' };

interface Bought {
  readonly paymentId: string;
  readonly at: number;
  readonly isTest: boolean;
  paidAt: number;
  end: number;
  isRefunded: boolean;
}

class World {
  now = begin;
  isLive = false;
  readonly bought: Bought[] = [];
  state: Entitlement | undefined;
  private revision = 0;

  record(events: readonly EntitlementEvent[], actor: Actor): void {
    for (const event of events) {
      const metadata = { at: iso(this.now), actor };
      this.state = entitlements.evolve(this.state, recorded('entitlement', event, this.revision++, metadata));
    }
  }

  follow(): void {
    this.record(followPurchases(this.state, of, this.purchases()), service);
  }

  purchases(): readonly Purchase[] {
    return this.bought.map((one) => ({
      paymentId: one.paymentId,
      source: { type: 'payment', paymentId: one.paymentId },
      succeededAt: iso(one.at),
      paidAt: iso(one.paidAt),
      access: this.accessOf(one),
    }));
  }

  hasAccess(): boolean {
    const { state, expiresAt } = this.state ?? { state: 'revoked', expiresAt: null };
    return state === 'granted' && (expiresAt === null || this.now < Date.parse(expiresAt));
  }

  private accessOf(one: Bought): PurchasedAccess {
    if (one.isRefunded || (one.isTest && this.isLive)) return { kind: 'taken-back' };
    return { kind: 'held', until: Number.isFinite(one.end) ? iso(one.end) : null, graceUntil: null };
  }
}

type Move =
  | { readonly move: 'buy'; readonly hours: number | null; readonly isTest: boolean }
  | { readonly move: 'renew'; readonly which: number; readonly hours: number }
  | { readonly move: 'refund'; readonly which: number }
  | { readonly move: 'grant'; readonly hours: number | null }
  | { readonly move: 'extend'; readonly hours: number }
  | { readonly move: 'revoke' | 'suspend' | 'toggle' | 'wait' };

const hours = fc.integer({ min: 1, max: 20 });
const which = fc.nat(3);
const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        move: fc.constant('buy' as const),
        hours: fc.option(hours, { freq: 2 }),
        isTest: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ move: fc.constant('renew' as const), which, hours }) },
    { weight: 2, arbitrary: fc.record({ move: fc.constant('refund' as const), which }) },
    { weight: 1, arbitrary: fc.record({ move: fc.constant('grant' as const), hours: fc.option(hours) }) },
    { weight: 2, arbitrary: fc.record({ move: fc.constant('extend' as const), hours }) },
    {
      weight: 3,
      arbitrary: fc.record({
        move: fc.constantFrom('revoke' as const, 'suspend' as const, 'toggle' as const, 'wait' as const),
      }),
    },
  ),
  { maxLength: 25 },
);

/**
 * `personsEnd` is the end of access that members granted or set, and `onto` the payment whose access it changed. `since`
 * is the time at which they withdrew access, or 0. What was paid before `limit.at` gives nothing after `limit.end`.
 */
interface Model {
  personsEnd: number;
  onto: string | undefined;
  since: number;
  limit: { readonly at: number; readonly end: number };
}

const noLimit = { at: 0, end: Number.POSITIVE_INFINITY };
const newModel = (): Model => ({ personsEnd: 0, onto: undefined, since: 0, limit: noLimit });
const endBy = (one: Bought, { limit }: Model) => (one.paidAt > limit.at ? one.end : Math.min(one.end, limit.end));

function make(world: World, model: Model, move: Move): void {
  const end = (length: number | null) => (length === null ? Number.POSITIVE_INFINITY : world.now + length * hour);
  const one = 'which' in move ? world.bought[move.which] : undefined;
  switch (move.move) {
    case 'buy':
      return void world.bought.push({
        paymentId: `pay_${world.bought.length}`,
        at: world.now,
        paidAt: world.now,
        isTest: move.isTest,
        end: end(move.hours),
        isRefunded: false,
      });
    case 'renew':
      if (one !== undefined) Object.assign(one, { end: Math.max(one.end, end(move.hours)), paidAt: world.now });
      return;
    case 'refund':
      if (one !== undefined) one.isRefunded = true;
      return;
    case 'grant': {
      const ends = move.hours === null ? {} : { expiresAt: iso(end(move.hours)) };
      const events = grantEntitlement(world.state, of, { ...ends, source: { note: 'a friend' } });
      if (events.length === 0) return;
      world.record(events, person);
      Object.assign(model, { ...newModel(), personsEnd: end(move.hours) });
      return;
    }
    case 'extend': {
      const { state } = world;
      if (state === undefined || state.state === 'revoked') return;
      const events = extendEntitlement(state, { expiresAt: iso(end(move.hours)) });
      if (events.length === 0) return;
      world.record(events, person);
      model.limit = { at: world.now, end: end(move.hours) };
      if (state.state !== 'granted') return;
      const { paymentId } = state.source ?? {};
      Object.assign(model, { personsEnd: end(move.hours), onto: paymentId });
      return;
    }
    case 'revoke':
    case 'suspend': {
      if (world.state === undefined || world.state.state === 'revoked') return;
      const isSuspended = world.state.state === 'suspended';
      const events =
        move.move === 'revoke' ? revokeEntitlement(world.state) : suspendEntitlement(world.state, {}, world.now);
      world.record(events, person);
      if (move.move === 'revoke' || !isSuspended) Object.assign(model, { personsEnd: 0, since: world.now });
      return;
    }
    case 'toggle':
      world.isLive = !world.isLive;
      return;
    case 'wait':
      world.now += 5 * hour;
  }
}

describe('purchases of an entitlement', () => {
  it('give access while one made since the last revocation by a person does, or while a person does', () => {
    fc.assert(
      fc.property(moves, (all) => {
        const world = new World();
        const model = newModel();
        for (const move of all) {
          world.now += hour;
          make(world, model, move);
          world.follow();
          const given = world.bought.filter(
            (one) => !one.isRefunded && !(one.isTest && world.isLive) && one.at > model.since,
          );
          const longest = Math.max(0, ...given.map((one) => endBy(one, model)));
          const onto = world.bought.find(({ paymentId }) => paymentId === model.onto);
          const isTakenBack = onto !== undefined && (onto.isRefunded || (onto.isTest && world.isLive));
          if (longest > model.personsEnd || isTakenBack) Object.assign(model, { personsEnd: 0, onto: undefined });
          const isExpected = model.personsEnd > world.now || longest > world.now;
          expect([move, world.hasAccess()]).toEqual([move, isExpected]);
          if (isExpected && model.personsEnd === 0) {
            const newest = given.filter((one) => endBy(one, model) === longest).at(-1);
            expect(world.state?.source).toEqual({ type: 'payment', paymentId: newest?.paymentId });
          }
          expect(followPurchases(world.state, of, world.purchases())).toEqual([]);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  const played = (...all: readonly Move[]): World => {
    const world = new World();
    for (const move of all) {
      world.now += hour;
      make(world, newModel(), move);
      world.follow();
    }
    return world;
  };
  const buy = (length: number | null = null): Move => ({ move: 'buy', hours: length, isTest: false });
  const [revoke, suspend] = [{ move: 'revoke' }, { move: 'suspend' }] as const;
  const renew: Move = { move: 'renew', which: 0, hours: 20 };
  const refund = (one: number): Move => ({ move: 'refund', which: one });
  const grant = (length: number | null = null): Move => ({ move: 'grant', hours: length });
  const extend = (length: number): Move => ({ move: 'extend', hours: length });

  it.each<[string, readonly Move[], string | null]>([
    ['a second purchase after a revocation gives access (SX-09, Q-S35)', [buy(), revoke, buy()], 'pay_1'],
    ['so does one after a suspension', [buy(), suspend, buy()], 'pay_1'],
    ['and one after a refund', [buy(), refund(0), buy()], 'pay_1'],
    ['the newest of equally long ones is its reason', [buy(), buy()], 'pay_1'],
    ['a renewal of what was bought before a revocation gives nothing', [buy(4), revoke, renew], null],
    ['also where something short was bought since', [buy(4), revoke, buy(1), renew, { move: 'wait' }], null],
    ['a renewal does not lift a suspension', [buy(4), suspend, renew], null],
    ['a refund of the first leaves what the second gives', [buy(), buy(), refund(0)], 'pay_1'],
    ['a refund of the second leaves what the first gives', [buy(), buy(), refund(1)], 'pay_0'],
    ['but not what was revoked', [buy(), revoke, buy(), refund(1)], null],
    ['refunds of both leave nothing', [buy(), buy(), refund(1), refund(0)], null],
    ['a person who grants again has renewals count again', [buy(2), revoke, grant(1), renew], 'pay_0'],
  ])('purchases of an entitlement: %s', (_, all, paymentId) => {
    const world = played(...all);
    expect(world.hasAccess() ? world.state?.source : null).toEqual(paymentId && { type: 'payment', paymentId });
  });

  const shorten = extend(1);
  it.each<[string, readonly Move[], number | null]>([
    ['of a purchase for life stands', [buy(), shorten], 3],
    ['of a purchase with an end stands', [buy(20), shorten], 3],
    ['stands if another purchase is refunded', [buy(), shorten, buy(9), refund(1)], 3],
    ['and is moved by the next one', [buy(), shorten, extend(5)], 8],
    ['stands if a grant repeats its end and source', [buy(5), grant(), extend(2), grant(1)], 5],
    ['stands until something is bought', [buy(), shorten, buy(9)], 12],
    ['or the same subscription is paid again', [buy(9), shorten, renew], 23],
    ['or a person grants again', [buy(9), shorten, grant(2)], 10],
  ])('purchases of an entitlement: a shortening by a person %s', (_, all, end) => {
    expect(played(...all).state?.expiresAt).toBe(end && iso(begin + end * hour));
  });

  it('never shorten an extension by a person', () => {
    const world = played(buy(2));
    world.record(
      [{ type: 'EntitlementExtended', data: { ...of, expiresAt: iso(begin + 90 * hour), graceUntil: null } }],
      person,
    );
    make(world, newModel(), buy(3));
    world.follow();
    expect(world.state?.expiresAt).toBe(iso(begin + 90 * hour));
  });
});
