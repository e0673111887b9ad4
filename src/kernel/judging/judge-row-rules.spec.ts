import { describe, expect, it, test } from '@jest/globals';
import { facts, noPolicies, person, row } from '../../../test/support/conditions/condition-facts.js';
import type { Facts } from './facts.js';
import { judge } from './judge.js';
import type { Value } from './value.js';

const outcome = (rule: object, given: Partial<Facts> = {}): Value => judge(rule, facts(given), noPolicies).outcome;

describe('row rules', () => {
  const ada = {
    person: person({
      properties: { team: 'red', teams: ['blue', 'red'], blank: '', nothing: null, born: '2000-01-01' },
    }),
  };
  const rules = [
    { type: 'creator' },
    { type: 'field_match', field: 'team', property: 'team' },
    { type: 'relationship', path: 'project.members' },
    { type: 'email', field: 'contact' },
  ];

  test.each(rules)('%j without a row is a fault, for anonymous visitors and for a person', (rule) => {
    expect(outcome(rule)).toBe('fault');
    expect(outcome(rule, ada)).toBe('fault');
    expect(outcome({ not: rule }, ada)).toBe('fault');
  });

  test.each(rules)('%j is denied to anonymous visitors', (rule) => {
    const fields = { team: null, contact: '' };
    expect(outcome(rule, { row: row({ fields, related: new Map([['project.members', []]]) }) })).toBe('denied');
  });

  it('creator admits the creator of the row', () => {
    expect(outcome({ type: 'creator' }, { ...ada, row: row({ createdBy: 'user_ada' }) })).toBe('allowed');
    expect(outcome({ type: 'creator' }, { ...ada, row: row({ createdBy: 'user_eve' }) })).toBe('denied');
    expect(outcome({ type: 'creator' }, { ...ada, row: row() })).toBe('denied');
  });

  test.each<readonly [string, unknown, Value]>([
    ['team', 'red', 'allowed'],
    ['team', 'blue', 'denied'],
    ['team', 'Red', 'denied'],
    ['team', ['green', 'red'], 'allowed'],
    ['team', [], 'denied'],
    ['teams', 'red', 'allowed'],
    ['teams', ['green', 'blue'], 'allowed'],
    ['teams', 'green', 'denied'],
    ['born', '2000-01-01T00:00:00Z', 'allowed'],
    ['blank', '', 'denied'],
    ['nothing', null, 'denied'],
    ['missing', undefined, 'denied'],
    ['missing', 'undefined', 'denied'],
  ])('field_match of %s with %j: %s', (property, field, expected) => {
    const rule = { type: 'field_match', field: 'team', property };
    expect(outcome(rule, { ...ada, row: row({ fields: { team: field } }) })).toBe(expected);
  });

  it('field_match uses own fields and own properties only', () => {
    const rule = { type: 'field_match', field: 'constructor', property: 'constructor' };
    expect(outcome(rule, { ...ada, row: row() })).toBe('denied');
  });

  it('relationship admits whom the path leads to, and is undecided if it was not followed', () => {
    const rule = { type: 'relationship', path: 'project.members' };
    const leading = (ends: unknown) => ({
      ...ada,
      row: row({ related: new Map([['project.members', ends as string[]]]) }),
    });
    expect(outcome(rule, leading(['user_eve', 'user_ada']))).toBe('allowed');
    expect(outcome(rule, leading(['user_eve']))).toBe('denied');
    expect(outcome(rule, leading([]))).toBe('denied');
    expect(outcome(rule, leading('user_ada'))).toBe('fault');
    expect(outcome(rule, { ...ada, row: row() })).toBe('fault');
  });

  test.each<readonly [unknown, Value]>([
    ['ada@example.com', 'allowed'],
    ['ADA@Example.com', 'allowed'],
    [['eve@example.com', 'ada@example.com'], 'allowed'],
    ['eve@example.com', 'denied'],
    ['ada@example.com.evil.example', 'denied'],
    ['', 'denied'],
    [null, 'denied'],
    [undefined, 'denied'],
    [7, 'denied'],
  ])('email of a field with %j: %s', (contact, expected) => {
    const rule = { type: 'email', field: 'contact' };
    expect(outcome(rule, { ...ada, row: row({ fields: { contact } }) })).toBe(expected);
  });

  it('email never matches an empty field with a person without an address', () => {
    for (const email of [null, ''])
      for (const contact of [null, '', 'null'])
        expect(
          outcome(
            { type: 'email', field: 'contact' },
            { person: person({ email }), row: row({ fields: { contact } }) },
          ),
        ).toBe('denied');
  });
});

describe('invalid facts', () => {
  const rule = { not: { type: 'has_role', roleId: 'banned' } };

  test.each<readonly [string, object]>([
    ['no moment', { now: Number.NaN }],
    ['no word on where the call comes from', { throughSite: 'yes' }],
    ['null for a person', { person: null }],
    ['a text for a person', { person: 'user_ada' }],
    ['a person without an id', { person: { ...person(), id: '' } }],
    ['a person whose roles are a text', { person: { ...person(), roleIds: 'banned' } }],
    ['a person whose roles are missing', { person: { ...person(), roleIds: undefined } }],
    ['a person whose entitlements are an object', { person: { ...person(), entitlements: {} } }],
    ['a person whose entitlements are a text', { person: { ...person(), entitlements: 'k' } }],
    ['a person whose entitlements hold null', { person: { ...person(), entitlements: [null] } }],
    ['a person whose properties are a list', { person: { ...person(), properties: [] } }],
    ['a person whose address is a number', { person: { ...person(), email: 7 } }],
    ['a row without fields', { row: { createdBy: null, fields: null } }],
    ['a row made by a number', { row: { createdBy: 7, fields: {} } }],
    ['answers that are no map', { functions: { fn_1: true } }],
    ['an unknown place', { place: 'toString' }],
  ])('%s: nobody is admitted', (_, given) => {
    const needing = {
      any: [rule, { not: { type: 'has_entitlement', key: 'k' } }, { type: 'function', functionId: 'fn_1' }],
    };
    expect(judge(needing, { ...facts({ person: person() }), ...given } as Facts, noPolicies).outcome).toBe('fault');
  });

  it('missing facts: nobody is admitted', () => {
    for (const given of [undefined, null, 'facts', {}])
      expect(judge({ type: 'public', scope: 'internet' }, given as never, noPolicies).outcome).toBe('fault');
  });
});
