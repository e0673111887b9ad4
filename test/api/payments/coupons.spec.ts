import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Coupons, type RequestedCoupon } from '../../../src/areas/payments/coupon/coupons.api.js';
import { Calls, systemActor } from '../../../src/engine/operation/calls.js';
import { Refusal } from '../../../src/kernel/refusals/refusal.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { type OutsideApp, sharedStandingTime } from '../../support/shared-outside.js';

const hour = 3_600_000;

let app: OutsideApp<MadeUpClock>;
let clock: MadeUpClock;
let projectId: string;
let workspaceId: string;
beforeAll(async () => {
  app = await sharedStandingTime(Date.parse('2030-01-01T00:00:00Z'));
  ({ clock } = app);
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
}, 60_000);
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Shop' })).id;
});

interface Shown {
  readonly code: string;
  readonly redemptions: number;
  readonly isActive: boolean;
}
const send = (operation: string, body: object = {}, as?: string) =>
  app.call(`site/${operation}`, { projectId, ...body }, as);
const create = (body: object = {}): Promise<Shown> =>
  done(app, 'site/createCoupon', { projectId, code: 'spring', percentOff: 20, ...body });
const update = (body: object): Promise<Shown> => done(app, 'site/updateCoupon', { projectId, code: 'spring', ...body });
const list = (): Promise<readonly Shown[]> => done(app, 'site/listCoupons', { projectId });
const redemptions = async () => (await list()).map((one) => one.redemptions);
const refused = async (operation: string, body: object = {}, as?: string) => {
  const { status, body: answer } = await send(operation, body, as);
  return [status, answer.code, answer.errors?.[0]?.path].filter((one) => one !== undefined);
};

const coupons = () => app.app.get(Coupons, { strict: false });
const call = () => app.app.get(Calls, { strict: false }).once(workspaceId, systemActor('test'), 'test');
const from = (ms: number) => new Date(clock.now() + ms).toISOString();
let bought = 0;
const wanted = (more: Partial<RequestedCoupon> = {}): RequestedCoupon => ({
  projectId,
  code: 'Spring',
  paymentId: `pay_${bought++}`,
  appUserId: 'usr_1',
  offerKey: 'gold',
  amount: 1_000,
  currency: 'usd',
  step: 1,
  until: from(24 * hour),
  ...more,
});
const reserve = (more: Partial<RequestedCoupon> = {}) => coupons().reserve(call(), wanted(more));
/** Returns the code of the refusal, or undefined if the work succeeded. */
const codeOf = async (work: Promise<unknown>): Promise<string | undefined> => {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
};
const buy = async (more: Partial<RequestedCoupon> = {}) => {
  const use = wanted(more);
  await coupons().reserve(call(), use);
  await coupons().redeem(call(), use);
};

describe('createCoupon', () => {
  it('stores the code in upper case, with defaults', async () => {
    const made = await create();
    expect(made).toEqual({
      code: 'SPRING',
      percentOff: 20,
      amountOff: null,
      currency: null,
      offerKeys: [],
      maxRedemptions: null,
      redemptions: 0,
      expiresAt: null,
      isActive: true,
      createdAt: expect.any(String),
    });
    expect(await list()).toEqual([{ ...made, reserved: 0 }]);
  });

  it('stores all sent fields', async () => {
    const sent = { code: 'a.b_c-9', amountOff: 500, currency: 'EUR', offerKeys: ['gold', 'gold', 'silver'] };
    const rest = { maxRedemptions: 3, expiresAt: '2031-01-01T02:00+02:00', isActive: false };
    expect(await create({ percentOff: undefined, ...sent, ...rest })).toMatchObject({
      code: 'A.B_C-9',
      percentOff: null,
      amountOff: 500,
      currency: 'eur',
      offerKeys: ['gold', 'silver'],
      maxRedemptions: 3,
      expiresAt: '2031-01-01T00:00:00.000Z',
      isActive: false,
    });
    expect(await create({ code: 'X', percentOff: undefined, amountOff: 1 })).toMatchObject({ currency: 'usd' });
  });

  it.each([
    'straße',
    'ılık',
    'ſale',
    'ﬁrst',
    'ÉTÉ',
    'ВЕСНА',
    '春',
    '١٢',
    'ＳＡＬＥ',
    'a b',
    ' a',
    'a\n',
    'a\u0000',
    '\ud800',
    '',
    '-a',
    '.',
    'x'.repeat(65),
    'a/b',
    7,
    null,
    {},
  ])('refuses the code %j', async (code) => {
    expect(await refused('createCoupon', { code, percentOff: 1 })).toEqual([400, 'invalid-input', 'code']);
  });

  it('requires exactly one of percentOff and amountOff', async () => {
    const code = 'both';
    expect(await refused('createCoupon', { code })).toEqual([400, 'invalid-input', 'percentOff']);
    const both = { code, percentOff: 1, amountOff: 1 };
    expect(await refused('createCoupon', both)).toEqual([400, 'invalid-input', 'amountOff']);
    expect(await refused('createCoupon', { code, percentOff: 1, currency: 'usd' })).toEqual([
      400,
      'invalid-input',
      'currency',
    ]);
    expect(await list()).toEqual([]);
  });

  it.each([0, 101, -1, 0.5, '20', null, true])('refuses the percentage %j', async (percentOff) => {
    expect(await refused('createCoupon', { code: 'x', percentOff })).toEqual([400, 'invalid-input', 'percentOff']);
  });

  it.each([0, -1, 0.1, 2 ** 53, '5', null])('refuses the amount %j', async (amountOff) => {
    expect(await refused('createCoupon', { code: 'x', amountOff })).toEqual([400, 'invalid-input', 'amountOff']);
  });

  it.each([1, 100])('accepts the percentage %d', async (percentOff) => {
    expect(await create({ percentOff })).toMatchObject({ percentOff });
  });

  it('refuses other wrong fields by name', async () => {
    for (const [path, value] of [
      ['maxRedemptions', 0],
      ['maxRedemptions', -1],
      ['maxRedemptions', 1.5],
      ['maxRedemptions', null],
      ['expiresAt', 'soon'],
      ['expiresAt', '2031-02-30'],
      ['expiresAt', '9999-12-31T23:59:59-14:00'],
      ['expiresAt', null],
      ['offerKeys', 'gold'],
      ['offerKeys', [1]],
      ['currency', 'xyz'],
      ['isActive', 'yes'],
      ['redemptions', 5],
    ] as const) {
      const body = { code: 'x', ...(path === 'currency' ? { amountOff: 1 } : { percentOff: 1 }), [path]: value };
      expect([path, value, await refused('createCoupon', body)]).toEqual([path, value, [400, 'invalid-input', path]]);
    }
  });

  it('accepts a code once in a project, in any case, also from twenty simultaneous calls', async () => {
    const codes = Array.from({ length: 20 }, (_, n) => (n % 2 ? 'Summer' : 'sUMMER'));
    const replies = await Promise.all(codes.map((code) => send('createCoupon', { code, percentOff: 5 })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
    expect(replies.find(({ status }) => status === 409)?.body.code).toBe('coupon-code-taken');
    projectId = (await done(app, 'site/createProject', { name: 'Second shop' })).id;
    await create({ code: 'summer' });
  });
});

describe('updateCoupon', () => {
  it('finds the code in any case', async () => {
    await create();
    expect(await update({ code: 'sPring', percentOff: 30 })).toMatchObject({ code: 'SPRING', percentOff: 30 });
    for (const code of ['winter', 'ſpring', 'a b']) {
      expect(await refused('updateCoupon', { code, percentOff: 1 })).toEqual([404, 'coupon-not-found']);
      expect(await refused('deleteCoupon', { code })).toEqual([404, 'coupon-not-found']);
    }
  });

  it('replaces one of percentOff and amountOff by the other', async () => {
    await create();
    expect(await update({ amountOff: 500 })).toMatchObject({ percentOff: null, amountOff: 500, currency: 'usd' });
    expect(await update({ currency: 'eur' })).toMatchObject({ amountOff: 500, currency: 'eur' });
    expect(await update({ amountOff: 600 })).toMatchObject({ amountOff: 600, currency: 'eur' });
    expect(await update({ percentOff: 10 })).toMatchObject({ percentOff: 10, amountOff: null, currency: null });
    expect(await refused('updateCoupon', { code: 'spring', percentOff: 1, amountOff: 1 })).toEqual([
      400,
      'invalid-input',
      'amountOff',
    ]);
    expect(await refused('updateCoupon', { code: 'spring', currency: 'eur' })).toEqual([
      400,
      'invalid-input',
      'currency',
    ]);
  });

  it('inactive disables the code at once, without affecting past redemptions', async () => {
    await create();
    await buy();
    await update({ isActive: false });
    expect(await codeOf(reserve())).toBe('coupon-inactive');
    expect(await redemptions()).toEqual([1]);
    await update({ isActive: true });
    await buy();
    expect(await redemptions()).toEqual([2]);
  });
});

describe('a coupon in a checkout', () => {
  it('reduces the amount, to 0 at most', async () => {
    await create();
    expect(await reserve({ amount: 1_002 })).toEqual({ code: 'SPRING', discount: 200 });
    expect(await reserve({ amount: 1_003 })).toEqual({ code: 'SPRING', discount: 201 });
    await create({ code: 'five', percentOff: undefined, amountOff: 500 });
    expect(await reserve({ code: 'FIVE', amount: 400 })).toEqual({ code: 'FIVE', discount: 400 });
  });

  it('applies only to its offers, and a fixed amount only to those in its currency', async () => {
    await create({ offerKeys: ['gold'] });
    expect(await codeOf(reserve({ offerKey: 'silver' }))).toBe('coupon-of-other-offers');
    await create({ code: 'five', percentOff: undefined, amountOff: 500 });
    expect(await codeOf(reserve({ code: 'five', currency: 'eur' }))).toBe('coupon-of-other-currency');
    expect(await codeOf(reserve({ code: 'five' }))).toBeUndefined();
    expect(await codeOf(reserve({ code: 'none' }))).toBe('coupon-not-found');
    expect(await codeOf(reserve({ code: 'ſpring' }))).toBe('coupon-not-found');
  });

  it('ends at its expiry', async () => {
    await create({ expiresAt: from(hour) });
    clock.advance(hour - 1);
    expect(await codeOf(reserve())).toBeUndefined();
    clock.advance(1);
    expect(await codeOf(reserve())).toBe('coupon-expired');
  });

  it('is counted once when it is paid, and not before', async () => {
    await create({ maxRedemptions: 2 });
    const use = wanted();
    for (let n = 0; n < 3; n++) await coupons().reserve(call(), use);
    expect(await redemptions()).toEqual([0]);
    await Promise.all(Array.from({ length: 5 }, () => coupons().redeem(call(), use)));
    await coupons().release(call(), use);
    expect(await redemptions()).toEqual([1]);
    expect(await codeOf(reserve())).toBeUndefined();
    expect(await codeOf(reserve())).toBe('coupon-used-up');
  });

  it('is free again when the checkout ends, or by itself after some time', async () => {
    await create({ maxRedemptions: 1 });
    const first = wanted();
    await coupons().reserve(call(), first);
    expect(await codeOf(reserve())).toBe('coupon-used-up');
    await coupons().release(call(), first);
    await reserve();
    clock.advance(24 * hour - 1);
    expect(await codeOf(reserve())).toBe('coupon-used-up');
    clock.advance(1);
    const kept = wanted({ until: from(24 * hour) });
    await coupons().reserve(call(), kept);
    for (let n = 0; n < 2; n++) await coupons().extend(call(), kept, from(14 * 24 * hour));
    clock.advance(14 * 24 * hour - 1);
    expect(await codeOf(reserve())).toBe('coupon-used-up');
    await coupons().release(call(), kept);
    expect(await codeOf(reserve())).toBeUndefined();
  });

  it('is counted if the processor reports the payment after that time', async () => {
    await create({ maxRedemptions: 1 });
    const late = wanted();
    await coupons().reserve(call(), late);
    clock.advance(25 * hour);
    await coupons().redeem(call(), late);
    expect(await redemptions()).toEqual([1]);
    expect(await codeOf(reserve())).toBe('coupon-used-up');
  });

  it('that is deleted and created again is counted from zero', async () => {
    await create();
    const open = wanted();
    await coupons().reserve(call(), open);
    await done(app, 'site/deleteCoupon', { projectId, code: 'spring' });
    await coupons().redeem(call(), open);
    expect(await list()).toEqual([]);
    await create();
    await coupons().redeem(call(), open);
    expect(await redemptions()).toEqual([0]);
  });

  it('with one redemption left goes to one of fifty simultaneous buyers', async () => {
    await create({ maxRedemptions: 3 });
    await buy();
    await buy();
    const buyers = Array.from({ length: 50 }, () => wanted());
    const outcomes = await Promise.all(
      buyers.map(async (use) => {
        const code = await codeOf(coupons().reserve(call(), use));
        if (code === undefined) await coupons().redeem(call(), use);
        return code;
      }),
    );
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set([undefined, 'coupon-used-up']));
    expect(await redemptions()).toEqual([3]);
  });
});

describe('coupons', () => {
  it('can be seen by every member and changed by Editors', async () => {
    await create();
    const viewer = await person(app, 'viewer');
    expect((await send('listCoupons', {}, viewer.key)).status).toBe(200);
    expect((await refused('updateCoupon', { code: 'spring', percentOff: 1 }, viewer.key))[0]).toBe(403);
    const keeps = await keyOf(app, { kind: 'person', neverDeletes: true });
    expect((await refused('deleteCoupon', { code: 'spring' }, keeps))[0]).toBe(403);
    const { ownerKey } = await otherWorkspace(app);
    for (const operation of ['listCoupons', 'createCoupon', 'updateCoupon', 'deleteCoupon']) {
      const body = { listCoupons: {}, createCoupon: { code: 'x', percentOff: 1 } }[operation] ?? { code: 'spring' };
      expect((await refused(operation, body, ownerKey))[0]).toBe(404);
    }
  });
});
