import { mock } from 'node:test';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { expectedOf } from '../../../test/contracts/read-store/read-store-oracle.js';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { LocalLeases } from '../../adapters/leases/local/local-leases.adapter.js';
import { coupons } from '../../areas/payments/coupon/coupon.record.js';
import { entitlements } from '../../areas/payments/entitlement/entitlement.record.js';
import type { Document } from '../../kernel/record/projection.js';
import { type Query, type ReadStore, ReadStoreUnavailable } from '../../ports/read-store.port.js';
import { LeaseKeeper, schedulerDuty } from '../cluster/lease-keeper.js';
import { refusalOf } from '../refusals/engine.refusals.js';
import { due } from './due.js';
import { DueSweep, parkedMs } from './due-sweep.js';
import { DueSweeps } from './due-sweeps.js';

interface Card extends Document {
  readonly expiresAt: string | null;
}

let clock: MadeUpClock;
let cards: Card[];
let changed: string[];
let warned: string[];
let faults: Map<string, Error>;
beforeEach(() => {
  clock = new MadeUpClock();
  cards = [];
  changed = [];
  faults = new Map();
  warned = [];
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((sentence: unknown) => void warned.push(String(sentence)));
});
afterEach(() => {
  jest.restoreAllMocks();
  mock.timers.reset();
});

const store = { find: async (_: string, query: Query) => expectedOf(cards, query) } as unknown as ReadStore;
const inMs = (ms: number) => new Date(clock.now() + ms).toISOString();
const card = (id: string, ms: number | null): Card => ({
  id,
  workspaceId: 'ws_1',
  expiresAt: ms === null ? null : inMs(ms),
});
const declared = {
  name: 'card-expiry',
  collection: 'cards',
  field: 'expiresAt' as const,
  atOnce: 2,
  change: async ({ id }: Card) => {
    const fault = faults.get(id);
    if (fault !== undefined) throw fault;
    changed.push(id);
  },
};
const sweepOf = (atOnce = 2) => new DueSweep<Card, 'expiresAt'>(store, clock, { ...declared, atOnce });
const setAside = refusalOf('record-set-aside', { type: 'CardPainted' });

describe('a sweep', () => {
  it('changes every record whose time has come, the earliest first, and no other', async () => {
    cards = [card('d', 0), card('a', -3), card('c', -1), card('later', 1), card('never', null), card('b', -2)];
    await sweepOf().run();
    expect(changed).toEqual(['a', 'b', 'c', 'd']);
  });

  it('changes all others if one is refused, which is tried again ten minutes later', async () => {
    cards = [card('a', -3), card('b', -2), card('c', -1)];
    faults.set('a', setAside);
    const sweep = sweepOf(1);
    await sweep.run();
    expect(changed).toEqual(['b', 'c']);
    expect(warned).toEqual(['card-expiry skips ws_1/a for ten minutes: refused with the code record-set-aside']);
    faults.clear();
    clock.advance(parkedMs - 1);
    cards = cards.filter(({ id }) => id === 'a');
    await sweep.run();
    expect(changed).toEqual(['b', 'c']);
    clock.advance(1);
    await sweep.run();
    expect(changed).toEqual(['b', 'c', 'a']);
  });

  it('retries a refused one at once if it is due at another time', async () => {
    cards = [card('a', -3)];
    faults.set('a', setAside);
    const sweep = sweepOf();
    await sweep.run();
    faults.clear();
    cards = [card('a', -1)];
    await sweep.run();
    expect(changed).toEqual(['a']);
  });

  it('reports nothing about a deleted one, but reports faults in our code', async () => {
    cards = [card('a', -3), card('b', -2)];
    faults.set('a', refusalOf('resource-not-found'));
    faults.set('b', new TypeError('x is not a function'));
    await sweepOf().run();
    expect(warned).toEqual([expect.stringMatching(/^card-expiry skips ws_1\/b .*TypeError: x is not a function/)]);
  });

  it('ends if a store is away, and the next one omits nothing', async () => {
    cards = [card('a', -3), card('b', -2), card('c', -1)];
    faults.set('a', new ReadStoreUnavailable('away'));
    const sweep = sweepOf(1);
    await expect(sweep.run()).rejects.toThrow('away');
    expect(changed).toEqual([]);
    faults.clear();
    await sweep.run();
    expect(changed).toEqual(['a', 'b', 'c']);
  });

  it('changes each due record once unless it is refused, whatever is refused and however many there are', async () => {
    const any = fc.record({ ms: fc.option(fc.integer({ min: -5, max: 5 })), isRefused: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(any, { maxLength: 30 }), fc.integer({ min: 1, max: 7 }), async (all, atOnce) => {
        cards = all.map(({ ms }, at) => card(`c${at}`, ms));
        changed = [];
        faults = new Map(all.flatMap(({ isRefused }, at) => (isRefused ? [[`c${at}`, setAside] as const] : [])));
        const sweep = sweepOf(atOnce);
        await sweep.run();
        const isDue = ({ expiresAt }: Card) => expiresAt !== null && Date.parse(expiresAt) <= clock.now();
        const expected = cards.filter((one) => isDue(one) && !faults.has(one.id)).map(({ id }) => id);
        expect(changed.toSorted()).toEqual(expected.toSorted());
      }),
    );
  });
});

describe('the timer', () => {
  const everyMs = 60_000;
  let keeper: LeaseKeeper;
  let work: DueSweeps;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval'] });
    keeper = new LeaseKeeper(new LocalLeases(), clock, { value: 'me' });
    work = new DueSweeps(store, keeper, clock);
  });
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

  it("sweeps only in the process that has the scheduler's lease", async () => {
    cards = [card('a', -1)];
    work.add(declared, everyMs);
    work.onApplicationBootstrap();
    mock.timers.tick(everyMs);
    await settled();
    expect(changed).toEqual([]);
    await keeper.add(schedulerDuty);
    mock.timers.tick(everyMs - 1);
    await settled();
    expect(changed).toEqual([]);
    mock.timers.tick(1);
    await settled();
    expect(changed).toEqual(['a']);
  });

  it('begins no sweep while one is in progress, continues none once the lease is lost, and a stop waits for it', async () => {
    const first = Promise.withResolvers<void>();
    let begun = 0;
    const change = () => {
      begun += 1;
      return first.promise;
    };
    cards = [card('a', -3), card('b', -2), card('c', -1)];
    work.add({ ...declared, change }, everyMs);
    work.onApplicationBootstrap();
    await keeper.add(schedulerDuty);
    mock.timers.tick(3 * everyMs);
    await settled();
    expect(begun).toBe(2);
    await keeper.drop(schedulerDuty.name);
    let isOver = false;
    const over = work.beforeApplicationShutdown().then(() => {
      isOver = true;
    });
    await settled();
    expect(isOver).toBe(false);
    first.resolve();
    await over;
    expect(begun).toBe(2);
  });
});

it('can be declared only for an indexed field', () => {
  const rest = { everyMs: 1_000, decide: () => [] };
  expect(() => due({ name: 'watch', record: entitlements, field: 'endsAt', ...rest })).not.toThrow();
  expect(() => due({ name: 'watch', record: coupons, field: 'expiresAt', ...rest })).toThrow('no index of expiresAt');
  const where = { state: 'granted' };
  expect(() => due({ name: 'watch', record: entitlements, where, field: 'endsAt', ...rest })).toThrow('state,endsAt');
});
