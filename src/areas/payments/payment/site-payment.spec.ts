import { expect, test } from '@jest/globals';
import { expirePayment } from './site-payment.js';
import type { SitePayment } from './site-payment.record.js';

const day = 24 * 3_600_000;
const expiresAt = '2026-01-01T00:00:00.000Z';
const pending = { status: 'pending', expiresAt, facts: {} };
const awaited = { awaited: { kind: 'awaited', at: expiresAt } };

test.each([
  ['a manual payment', { ...pending, method: 'manual' }, 0],
  ['a checkout at the processor', { ...pending, method: 'processor' }, 3_600_000],
  ['a payment whose money is on its way', { ...pending, method: 'processor', facts: awaited }, 30 * day],
])('%s expires a fixed time after its deadline', (_, payment, afterMs) => {
  const expiredAt = (ms: number) =>
    expirePayment(payment as unknown as SitePayment, Date.parse(expiresAt) + ms).map(({ type }) => type);
  expect(expiredAt(afterMs - 1)).toEqual([]);
  expect(expiredAt(afterMs)).toEqual(['SitePaymentExpired']);
});
