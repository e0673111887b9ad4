import { describe, expect, it, test } from '@jest/globals';
import { facts, noPolicies, now, person } from '../../../test/support/conditions/condition-facts.js';
import type { Facts } from './facts.js';
import { judge } from './judge.js';
import type { Value } from './value.js';

const outcome = (rule: object, given: Partial<Facts> = {}): Value => judge(rule, facts(given), noPolicies).outcome;
const inAnHour = new Date(now + 3_600_000).toISOString();
const anHourAgo = new Date(now - 3_600_000).toISOString();

describe('public', () => {
  test.each([
    ['site', true, 'allowed'],
    ['site', false, 'denied'],
    ['Only through this site', false, 'denied'],
    ['internet', true, 'allowed'],
    ['internet', false, 'allowed'],
    ['Anyone on the internet', false, 'allowed'],
    ['everywhere', false, 'allowed'],
  ])('%s, with the call through the site: %s', (scope, throughSite, expected) => {
    expect(outcome({ type: 'public', scope }, { throughSite })).toBe(expected);
    expect(outcome({ type: 'public', scope }, { throughSite, person: person() })).toBe(expected);
  });

  it('stored without its level admits through the site only', () => {
    expect(outcome({ type: 'public' }, { throughSite: true })).toBe('allowed');
    expect(outcome({ type: 'public' }, { throughSite: false })).toBe('denied');
  });

  it('stored with an unknown level is a fault', () => {
    expect(outcome({ type: 'public', scope: null }, {})).toBe('fault');
  });
});

describe('authenticated', () => {
  it('admits signed-in visitors', () => {
    expect(outcome({ type: 'authenticated' }, { person: person() })).toBe('allowed');
    expect(outcome({ type: 'authenticated' })).toBe('denied');
  });
});

describe('has_role', () => {
  const rule = { type: 'has_role', roleId: 'role_1' };

  it('admits those who have the role', () => {
    expect(outcome(rule, { person: person({ roleIds: ['role_0', 'role_1'] }) })).toBe('allowed');
    expect(outcome(rule, { person: person({ roleIds: ['role_10'] }) })).toBe('denied');
    expect(outcome(rule)).toBe('denied');
  });
});

describe('user_property', () => {
  const rule = (operator: string, value?: unknown) => ({
    type: 'user_property',
    property: 'plan',
    operator,
    ...(value === undefined ? {} : { value }),
  });
  const of = (plan: unknown) => ({ person: person({ properties: { plan } }) });

  test.each<readonly [string, unknown, unknown, unknown]>([
    ['eq', 'pro', 'pro', 'free'],
    ['ne', 'pro', 'free', 'pro'],
    ['gt', 5, 6, 5],
    ['gte', 5, 5, 4],
    ['lt', '2030-01-01', '2029-12-31', '2030-01-01'],
    ['lte', '2030-01-01', '2030-01-01T00:00:00Z', '2030-01-02'],
    ['in', ['pro', 'team'], 'team', 'free'],
    ['nin', ['pro', 'team'], 'free', 'team'],
    ['contains', 'ro', 'pro', 'free'],
    ['isEmpty', undefined, '', 'pro'],
    ['isNotEmpty', undefined, 'pro', ''],
  ])('%s %j admits %j and not %j', (operator, value, within, without) => {
    expect(outcome(rule(operator, value), of(within))).toBe('allowed');
    expect(outcome(rule(operator, value), of(without))).toBe('denied');
  });

  test.each<readonly [string, unknown, Value]>([
    ['eq', 'pro', 'denied'],
    ['ne', 'pro', 'allowed'],
    ['gt', 5, 'denied'],
    ['gte', 5, 'denied'],
    ['lt', 5, 'denied'],
    ['lte', 5, 'denied'],
    ['in', ['pro'], 'denied'],
    ['nin', ['pro'], 'allowed'],
    ['contains', 'p', 'denied'],
    ['isEmpty', undefined, 'allowed'],
    ['isNotEmpty', undefined, 'denied'],
  ])('%s %j of a person without the property: %s; of an anonymous visitor: denied', (operator, value, expected) => {
    expect(outcome(rule(operator, value), { person: person() })).toBe(expected);
    expect(outcome(rule(operator, value), of(null))).toBe(expected);
    expect(outcome(rule(operator, value))).toBe('denied');
  });

  it('uses own properties only', () => {
    const inherited = person({ properties: Object.create({ plan: 'pro' }) });
    expect(outcome(rule('eq', 'pro'), { person: inherited })).toBe('denied');
    const named = (property: string) => ({ type: 'user_property', property, operator: 'isNotEmpty' });
    for (const property of ['toString', 'constructor', '__proto__'])
      expect(outcome(named(property), { person: person() })).toBe('denied');
    const own = person({ properties: JSON.parse('{"__proto__":"x"}') });
    expect(outcome(named('__proto__'), { person: own })).toBe('allowed');
  });
});

describe('has_entitlement', () => {
  const rule = { type: 'has_entitlement', key: 'member' };
  const holding = (given: object) => ({
    person: person({
      entitlements: [{ key: 'member', state: 'granted', expiresAt: null, graceUntil: null, ...given }],
    }),
  });

  test.each<readonly [string, object, Value]>([
    ['for life', {}, 'allowed'],
    ['until later', { expiresAt: inAnHour }, 'allowed'],
    ['expired', { expiresAt: anHourAgo }, 'denied'],
    ['expired, within its grace', { expiresAt: anHourAgo, graceUntil: inAnHour }, 'allowed'],
    ['suspended', { state: 'suspended' }, 'denied'],
    ['suspended, within its grace', { state: 'suspended', graceUntil: inAnHour }, 'allowed'],
    ['revoked', { state: 'revoked', graceUntil: inAnHour }, 'denied'],
    ['of another key', { key: 'members' }, 'denied'],
    ['with an expiry that cannot be read', { expiresAt: 'soon' }, 'fault'],
    ['in a state that there is not', { state: 'paused' }, 'fault'],
  ])('an entitlement %s (%j) is %s', (_, given, expected) => {
    expect(outcome(rule, holding(given))).toBe(expected);
  });

  it('is denied to those without any, and to anonymous visitors', () => {
    expect(outcome(rule, { person: person() })).toBe('denied');
    expect(outcome(rule)).toBe('denied');
  });

  it('uses the best of several of the same key', () => {
    const entitlements = ['revoked', 'paused', 'granted'].map((state) => ({
      key: 'member',
      state: state as 'granted',
      expiresAt: null,
      graceUntil: null,
    }));
    expect(outcome(rule, { person: person({ entitlements }) })).toBe('allowed');
    expect(outcome(rule, { person: person({ entitlements: entitlements.slice(0, 2) }) })).toBe('fault');
  });
});

describe('function', () => {
  const rule = { type: 'function', functionId: 'fn_1' };
  const answered = (answer: unknown) => ({ functions: new Map([['fn_1', answer as boolean]]) });

  test.each<readonly [unknown, Value]>([
    [true, 'allowed'],
    [false, 'denied'],
    ['failed', 'fault'],
    ['true', 'fault'],
    [1, 'fault'],
    [null, 'fault'],
  ])('that answered %j: %s', (answer, expected) => {
    expect(outcome(rule, answered(answer))).toBe(expected);
  });

  it('that was not asked is open, whatever the results of others', () => {
    expect(outcome(rule)).toBe('open');
    expect(outcome({ ...rule, functionId: 'fn_2' }, answered(true))).toBe('open');
  });
});

describe("email of a member's own address", () => {
  const audience = (rule: object, email: string | null) =>
    outcome({ type: 'email', ...rule }, { place: 'audience', person: person({ email }) });

  test.each<readonly [object, string | null, Value]>([
    [{ value: 'Ada@example.com' }, 'ada@EXAMPLE.com', 'allowed'],
    [{ operator: 'eq', value: 'ada@example.com' }, 'eve@example.com', 'denied'],
    [{ operator: 'contains', value: '@Example.com' }, 'ada@example.com', 'allowed'],
    [{ operator: 'in', value: ['EVE@example.com', 'x'] }, 'eve@example.com', 'allowed'],
    [{ operator: 'ne', value: 'ADA@example.com' }, 'ada@example.com', 'denied'],
    [{ value: '@Example.com' }, 'ada@example.com', 'allowed'],
    [{ value: '@example.com' }, 'ada@sub.example.com', 'denied'],
    [{ value: '@example.com' }, null, 'denied'],
    [{ operator: 'nin', value: ['@example.com', '@x.org'] }, 'ada@example.com', 'denied'],
    [{ operator: 'nin', value: ['@example.com', '@x.org'] }, 'ada@y.org', 'allowed'],
    [{ operator: 'isEmpty' }, null, 'allowed'],
    [{ operator: 'isNotEmpty' }, null, 'denied'],
  ])('the email rule %j for the address %j is %s', (rule, email, expected) => {
    expect(audience(rule, email)).toBe(expected);
  });
});
