import { describe, expect, it, test } from '@jest/globals';
import type { Policies } from '../../../kernel/condition/condition.js';
import { needsOf } from './audience-needs.js';
import { type AudienceSource, sourcesOf } from './audience-sources.js';

const [a, b] = ['a', 'b'].map((roleId) => ({ type: 'has_role', roleId }));
const key = { type: 'has_entitlement', key: 'course' };
const signedIn = { type: 'authenticated' };
const named = { type: 'user_property', property: 'name', operator: 'isNotEmpty' };
const policies: Policies = (id) => {
  const found = { staff: a, loop: { policy: 'loop' }, broken: { any: [] } } as Record<string, unknown>;
  return Object.hasOwn(found, id) ? { name: id, condition: found[id] } : undefined;
};

describe('the queries that find an audience', () => {
  test.each<readonly [string, unknown, readonly AudienceSource[] | undefined]>([
    ['a role', a, [{ roleId: 'a' }]],
    ['an entitlement', key, [{ entitlement: 'course' }]],
    ['a policy of a role', { policy: 'staff' }, [{ roleId: 'a' }]],
    [
      'any of them, each once',
      { any: [a, { any: [b, a, key] }] },
      [{ roleId: 'a' }, { roleId: 'b' }, { entitlement: 'course' }],
    ],
    ['all: the fewest', { all: [{ any: [a, b] }, named, key] }, [{ entitlement: 'course' }]],
    ['any with one that only a look at each user tells', [a, named], undefined],
    ['who is signed in', signedIn, undefined],
    ['who has no role', { not: a }, undefined],
    ['a policy that is gone', { policy: 'gone' }, undefined],
    ['a policy that leads to itself', { policy: 'loop' }, undefined],
    ['a condition that cannot be read', { type: 'nonsense' }, undefined],
    ['too many', Array.from({ length: 9 }, (_, at) => ({ type: 'has_role', roleId: `r${at}` })), undefined],
  ])('finds the audience of %s', (_, condition, expected) => {
    expect(sourcesOf(condition, policies)).toEqual(expected);
  });
});

describe('the users that an audience reads', () => {
  const property = (name: string) => ({ type: 'user_property', property: name, operator: 'isNotEmpty' });

  test.each<readonly [string, unknown, readonly string[], boolean]>([
    ['a role', a, [], false],
    ['an entitlement, in a policy’s place too', { all: [key, { policy: 'staff' }] }, [], true],
    ['an address', { type: 'email', value: '@example.com' }, ['email'], false],
    [
      'properties',
      { not: { any: [property('name'), property('plan'), property('email')] } },
      ['email', 'name', 'customFields'],
      false,
    ],
    ['nothing that can be read', { type: 'nonsense' }, [], false],
  ])('for %s are no more than needed', (_, condition, fields, entitlements) => {
    expect(needsOf(condition, policies)).toEqual({ fields, entitlements });
  });

  it('are found through policies, each once', () => {
    const known: Policies = (id) => ({ name: id, condition: { any: [named, { policy: id === 'x' ? 'y' : 'x' }] } });
    expect(needsOf({ policy: 'x' }, known)).toEqual({ fields: ['name'], entitlements: false });
  });
});
