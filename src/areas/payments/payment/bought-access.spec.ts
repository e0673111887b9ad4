import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AccessTerm } from '../offer/offer-terms.api.js';
import { type Bought, boughtAccess } from './bought-access.js';
import { learned, type ProcessorFact } from './processor-fact.js';
import { after } from './term-end.js';

const at = '2030-01-31T10:00:00.000Z';
const monthly = { every: 1, interval: 'month' } as const;
const bought: Bought = {
  method: 'processor',
  price: 1_000,
  paymentTerm: 'one_time',
  accessTerm: 'lifetime',
  trialDays: 0,
  createdAt: at,
  decision: null,
  decidedAt: null,
  facts: {},
};
const subscription: Bought = { ...bought, paymentTerm: monthly, accessTerm: 'while_subscribed' };
const hearing = (base: Bought, ...facts: readonly ProcessorFact[]) =>
  boughtAccess({ ...base, facts: facts.reduce(learned, base.facts) });
const held = (until: string | null, graceUntil: string | null = null) => ({ kind: 'held', until, graceUntil });
const takenBack = { kind: 'taken-back' };
const none = { kind: 'none' };

const paid: ProcessorFact = { kind: 'paid', at };
const [march, april, may] = ['2030-03-01T00:00:00.000Z', '2030-04-01T00:00:00.000Z', '2030-05-01T00:00:00.000Z'];
const invoice = (invoiceId: string, paidAt: string, until: string, amount = 1_000): ProcessorFact => ({
  kind: 'invoice-paid',
  invoiceId,
  at: paidAt,
  until,
  amount,
});
const first = invoice('in_1', march, april);
const second = invoice('in_2', april, may);
const refunded = (invoiceId: string | null, full: boolean): ProcessorFact => ({
  kind: 'refunded',
  invoiceId,
  at: may,
  amount: full ? 1_000 : 500,
  full,
});

describe('months', () => {
  it.each([
    ['2030-01-31T10:00:00.000Z', 1, 'month', '2030-02-28T10:00:00.000Z'],
    ['2032-01-31T10:00:00.000Z', 1, 'month', '2032-02-29T10:00:00.000Z'],
    ['2030-03-31T23:59:59.999Z', 1, 'month', '2030-04-30T23:59:59.999Z'],
    ['2030-12-31T00:00:00.000Z', 2, 'month', '2031-02-28T00:00:00.000Z'],
    ['2032-02-29T00:00:00.000Z', 1, 'year', '2033-02-28T00:00:00.000Z'],
    ['2030-01-31T00:00:00.000Z', 2, 'week', '2030-02-14T00:00:00.000Z'],
    ['2030-01-31T00:00:00.000Z', 9_000, 'year', '9999-12-31T23:59:59.999Z'],
    ['2030-01-31T00:00:00.000Z', 2 ** 53, 'day', '9999-12-31T23:59:59.999Z'],
  ] as const)('%s and %i %s(s) is %s', (from, count, unit, end) => {
    expect(after(from, count, unit)).toBe(end);
  });
});

describe('the access of a single payment', () => {
  it.each<[string, Bought, readonly ProcessorFact[], object]>([
    ['nothing before it came', bought, [], none],
    ['access for life', bought, [paid], held(null)],
    [
      'so long from the payment',
      { ...bought, accessTerm: { for: 1, unit: 'month' } },
      [paid],
      held('2030-02-28T10:00:00.000Z'),
    ],
    ['nothing while its money is on its way', bought, [{ kind: 'awaited', at }], none],
    [
      'nothing when that never came',
      bought,
      [
        { kind: 'awaited', at },
        { kind: 'not-paid', at: may },
      ],
      none,
    ],
    ['nothing any more after a full refund', bought, [paid, refunded(null, true)], takenBack],
    ['nothing any more after a refund heard of before the payment', bought, [refunded(null, true), paid], takenBack],
    ['the same after a part of it went back', bought, [paid, refunded(null, false)], held(null)],
    ['nothing any more after a dispute', bought, [paid, { kind: 'disputed', invoiceId: null, at: may }], takenBack],
    ['nothing where its amount was another', bought, [{ kind: 'mismatch', object: 'cs_1', at, problem: '' }], none],
  ])('a payment once gives %s', (_, base, facts, gives) => {
    expect(hearing(base, ...facts)).toEqual(gives);
  });
});

describe('the access of a subscription', () => {
  const begun: ProcessorFact = { kind: 'subscribed', at };
  const trialed = { ...subscription, trialDays: 14 };
  const failed = (invoiceId: string): ProcessorFact => ({ kind: 'invoice-failed', invoiceId, at: may });
  it.each<[string, Bought, readonly ProcessorFact[], object]>([
    ['nothing before a period is paid', subscription, [begun], none],
    ['access to the end of the paid period', subscription, [begun, first], held(april)],
    ['more with each payment', subscription, [begun, second, first], held(may)],
    [
      'three days more while a period is not paid',
      subscription,
      [begun, first, second, failed('in_3')],
      held(may, '2030-05-04T00:00:00.000Z'),
    ],
    [
      'three days more while the money for a period that has begun is yet to be taken',
      subscription,
      [begun, first, { kind: 'period', at: april, until: may }],
      held(april, '2030-04-04T00:00:00.000Z'),
    ],
    [
      'the period alone once that is paid',
      subscription,
      [begun, first, { kind: 'period', at: april, until: may }, second],
      held(may),
    ],
    [
      'no grace where it ended with the period',
      subscription,
      [first, { kind: 'period', at: april, until: may }, { kind: 'ended', at: april }],
      held(april),
    ],
    [
      'no grace where access is shorter than the period',
      { ...subscription, accessTerm: { for: 1, unit: 'day' } },
      [first, { kind: 'period', at: march, until: april }],
      held('2030-03-02T00:00:00.000Z'),
    ],
    [
      'nothing for a period that begins before any was paid',
      subscription,
      [{ kind: 'period', at, until: march }],
      none,
    ],
    ['no more than the period once the missing payment came', subscription, [first, second, failed('in_2')], held(may)],
    ['no grace after its end', subscription, [first, second, failed('in_3'), { kind: 'ended', at: may }], held(may)],
    [
      'access to the end of the paid period after its end',
      subscription,
      [first, { kind: 'ended', at: march }],
      held(april),
    ],
    [
      'nothing any more when its last period was refunded',
      subscription,
      [first, second, refunded('in_2', true)],
      takenBack,
    ],
    ['the same when a former period was refunded', subscription, [first, second, refunded('in_1', true)], held(may)],
    ['the same when a part was refunded', subscription, [first, second, refunded('in_2', false)], held(may)],
    ['access again when a later period is paid', subscription, [first, refunded('in_1', true), second], held(may)],
    ['its trial at once', trialed, [begun], held('2030-02-14T10:00:00.000Z')],
    ['its trial as the processor counts it', trialed, [begun, { kind: 'trial', at, until: march }], held(march)],
    ['its trial by its invoice of nothing', trialed, [begun, invoice('in_0', at, march, 0)], held(march)],
    ['the paid period after the trial', trialed, [begun, invoice('in_0', at, march, 0), first], held(april)],
    ['access for life, if that was agreed', { ...subscription, accessTerm: 'lifetime' }, [first], held(null)],
    [
      'so long from the last payment',
      { ...subscription, accessTerm: { for: 1, unit: 'year' } },
      [first, second],
      held('2031-04-01T00:00:00.000Z'),
    ],
  ])('a subscription gives %s', (_, base, facts, gives) => {
    expect(hearing(base, ...facts)).toEqual(gives);
  });
});

describe('the access without a processor', () => {
  const manual: Bought = { ...bought, method: 'manual', accessTerm: { for: 3, unit: 'day' } };
  const later = '2030-02-02T00:00:00.000Z';
  it.each<[string, Bought, object]>([
    ['nothing while a manual payment is pending', manual, none],
    [
      'so long from the approval',
      { ...manual, decision: 'approved', decidedAt: later },
      held('2030-02-05T00:00:00.000Z'),
    ],
    ['nothing after a rejection', { ...manual, decision: 'rejected', decidedAt: later }, none],
    ['no trial while it is pending', { ...manual, trialDays: 2 }, none],
    [
      'its trial and what was paid for, from the approval',
      { ...subscription, method: 'manual', trialDays: 7, decision: 'approved', decidedAt: at },
      held('2030-03-07T10:00:00.000Z'),
    ],
    [
      'what an earlier version gave is taken back by a rejection',
      { ...manual, trialDays: 2, decision: 'rejected' },
      takenBack,
    ],
    [
      'one period of a subscription',
      { ...subscription, method: 'manual', decision: 'approved', decidedAt: at },
      held('2030-02-28T10:00:00.000Z'),
    ],
    ['one period that a coupon pays in full', { ...subscription, method: 'free' }, held('2030-02-28T10:00:00.000Z')],
    ['a free subscription for life', { ...subscription, method: 'free', price: 0 }, held(null)],
    ['a free offer for so long', { ...manual, method: 'free', price: 0 }, held('2030-02-03T10:00:00.000Z')],
  ])('a payment without a processor gives %s', (_, base, gives) => {
    expect(boughtAccess(base)).toEqual(gives);
  });
});

const times = fc.integer({ min: 0, max: 5 }).map((day) => after(at, day, 'day'));
const invoices = fc.constantFrom('in_1', 'in_2', 'in_3');
const facts: fc.Arbitrary<ProcessorFact> = fc.oneof(
  times.map((time) => ({ kind: 'paid' as const, at: time })),
  times.map((time) => ({ kind: 'subscribed' as const, at: time })),
  times.map((time) => ({ kind: 'ended' as const, at: time })),
  fc.record({ kind: fc.constantFrom('trial' as const, 'period' as const), at: times, until: times }),
  fc.record({
    kind: fc.constant('invoice-paid' as const),
    invoiceId: invoices,
    at: times,
    until: times,
    amount: fc.constantFrom(0, 1_000),
  }),
  fc.record({ kind: fc.constant('invoice-failed' as const), invoiceId: invoices, at: times }),
  fc.record({
    kind: fc.constant('refunded' as const),
    invoiceId: fc.option(invoices),
    at: times,
    amount: fc.constantFrom(500, 1_000),
    full: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('disputed' as const), invoiceId: fc.option(invoices), at: times }),
);
const terms = fc.constantFrom<AccessTerm>('lifetime', 'while_subscribed', { for: 1, unit: 'month' });

describe('facts in any order, and repeated', () => {
  it('result in the same access', () => {
    const orders = fc
      .array(facts, { maxLength: 12 })
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 })));
    fc.assert(
      fc.property(
        orders,
        terms,
        fc.constantFrom(0, 2),
        fc.boolean(),
        ([inOrder, inAny], accessTerm, trialDays, once) => {
          const base: Bought = { ...bought, accessTerm, trialDays, paymentTerm: once ? 'one_time' : monthly };
          expect(hearing(base, ...inAny)).toEqual(hearing(base, ...inOrder));
        },
      ),
    );
  });

  it('change nothing the second time', () => {
    fc.assert(
      fc.property(fc.array(facts, { maxLength: 12 }), (all) => {
        const known = all.reduce(learned, {});
        for (const fact of all) expect(learned(known, fact)).toBe(known);
      }),
    );
  });
});
