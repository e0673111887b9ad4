import { describe, expect, it } from '@jest/globals';
import { given, stateOf } from '../../../../test/support/given/given.js';
import { createOffer, sold, updateOffer } from './offer.js';
import { type OfferEvent, offers } from './offer.record.js';
import { wrongAccessTerm, wrongPaymentTerm } from './offer-terms.api.js';

const of = { projectId: 'proj_1', key: 'gold' };
const monthly = { every: 1, interval: 'month' } as const;
const made = (more: object = {}) => createOffer(undefined, { ...of, name: 'Gold', amount: 500, ...more }, 'terms_1');
const gold = made() as readonly OfferEvent[];
const subscribed = made({ paymentTerm: monthly, accessTerm: 'while_subscribed' });

describe('a new offer', () => {
  it('grants the entitlement of its key by default', () => {
    expect(stateOf(offers, gold)).toMatchObject({ entitlementKey: 'gold', termsId: 'terms_1', isActive: true });
    expect(stateOf(offers, made({ entitlementKey: 'pro' }))).toMatchObject({ entitlementKey: 'pro' });
  });

  it('has a unique key in the site', () => {
    const sent = { ...of, name: 'Gold', amount: 500 };
    given(offers, gold).when(createOffer, sent, 'terms_2').refuses('offer-key-taken');
  });

  it('gives access while subscribed only for a recurring payment', () => {
    const once = { ...of, name: 'Gold', amount: 500, accessTerm: 'while_subscribed' } as const;
    given()
      .when(createOffer, undefined, once, 'terms_1')
      .refuses('invalid-input', { errors: [{ path: 'accessTerm' }] });
    expect(subscribed).toHaveLength(1);
  });
});

describe('a changed offer', () => {
  it('has new terms under a new id, except for its name and description', () => {
    given(offers, gold).when(updateOffer, { name: 'Gold', amount: 500 }, 'terms_2').emitsNothing();
    given(offers, gold)
      .when(updateOffer, { name: 'Golden', amount: 700 }, 'terms_2')
      .emits(
        { type: 'OfferTermsChanged', data: { ...of, amount: 700, termsId: 'terms_2' } },
        { type: 'OfferChanged', data: { ...of, name: 'Golden' } },
      );
    given(offers, gold)
      .when(updateOffer, { isActive: false }, 'terms_2')
      .emits({ type: 'OfferChanged', data: { ...of, isActive: false } });
  });

  it('has consistent terms, whichever of them changes', () => {
    given(offers, subscribed).when(updateOffer, { paymentTerm: 'one_time' }, 'terms_2').refuses('invalid-input');
    given(offers, gold).when(updateOffer, { accessTerm: 'while_subscribed' }, 'terms_2').refuses('invalid-input');
  });
});

it('an offer is for sale while it exists and is active', () => {
  expect(sold(stateOf(offers, gold))).toMatchObject(of);
  const off: OfferEvent = { type: 'OfferChanged', data: { ...of, isActive: false } };
  given()
    .when(() => [sold(stateOf(offers, [...gold, off])) as never])
    .refuses('offer-inactive');
  given()
    .when(() => [sold(undefined) as never])
    .refuses('offer-not-found');
});

describe('the terms of an offer', () => {
  it.each([
    'one_time',
    monthly,
    { every: 3, interval: 'year' },
    { every: 1_095, interval: 'day' },
    { every: 156, interval: 'week', trialDays: 730 },
  ])('are paid by %j', (term) => {
    expect(wrongPaymentTerm(term)).toBeUndefined();
  });

  it.each<[unknown, string]>([
    ['often', "must be 'one_time' or { every, interval, trialDays? }"],
    [[monthly], "must be 'one_time' or"],
    [{ ...monthly, times: 3 }, "'times' is not known"],
    [{ every: 1 }, 'must have an interval of: day, week, month, year'],
    [{ every: 0, interval: 'day' }, 'must have an `every` from 1 to 1095'],
    [{ every: 1.5, interval: 'week' }, 'must have an `every` from 1 to 156'],
    [{ every: 37, interval: 'month' }, 'must have an `every` from 1 to 36'],
    [{ every: 4, interval: 'year' }, 'must have an `every` from 1 to 3'],
    [{ ...monthly, trialDays: 0 }, 'must have trialDays from 1 to 730, or omit it'],
    [{ ...monthly, trialDays: 731 }, 'must have trialDays from 1 to 730, or omit it'],
  ])('are not paid by %j', (term, message) => {
    expect(wrongPaymentTerm(term)).toContain(message);
  });

  it.each(['lifetime', 'while_subscribed', { for: 100, unit: 'year' }, { for: 1, unit: 'day' }])(
    'give access for %j',
    (term) => {
      expect(wrongAccessTerm(term)).toBeUndefined();
    },
  );

  it.each<[unknown, string]>([
    [null, "must be 'lifetime', 'while_subscribed' or { for, unit }"],
    [{ for: 1, unit: 'day', until: 'then' }, "'until' is not known"],
    [{ for: 1, unit: 'week' }, 'must have a unit of: day, month, year'],
    [{ for: 36_501, unit: 'day' }, 'must have a `for` from 1 to 36500'],
    [{ for: 1_201, unit: 'month' }, 'must have a `for` from 1 to 1200'],
    [{ for: '1', unit: 'year' }, 'must have a `for` from 1 to 100'],
  ])('give no access for %j', (term, message) => {
    expect(wrongAccessTerm(term)).toContain(message);
  });
});
