import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Doors, opensDoor } from './opens-access.js';

interface Ruled {
  readonly read?: unknown;
  readonly write?: unknown;
}

const anybody = { type: 'public', scope: 'internet' };
const member = { type: 'authenticated' };
const doors: Doors<Ruled> = () => [({ read }) => read, ({ write }) => write];
const opens = (before: Ruled | undefined, after: Ruled | undefined) => opensDoor(doors, before, after);

describe('a change that gives access without a sign-in', () => {
  test.each([
    ['a public rule', anybody],
    ['a public rule in a list', [member, anybody]],
    ['a public rule in groups', { all: [{ any: [member, anybody] }] }],
    ['a policy, which may be public', { policy: 'pol_1' }],
    ['a function, which may admit anybody', { type: 'function', functionId: 'fn_1' }],
    ['what is not', { not: { type: 'has_role', roleId: 'role_1' } }],
  ])('%s gives access without a sign-in', (_, condition) => {
    expect(opens({}, { read: condition })).toBe(true);
    expect(opens(undefined, { read: condition })).toBe(true);
  });

  test.each([
    ['a sign-in', member],
    ['nobody', []],
    ['no rule', undefined],
    [
      'a role and an entitlement',
      {
        all: [
          { type: 'has_role', roleId: 'r' },
          { type: 'has_entitlement', key: 'k' },
        ],
      },
    ],
  ])('is not: %s', (_, condition) => expect(opens({ read: anybody }, { read: condition })).toBe(false));

  test('is not what decided at the same door before', () => {
    expect(opens({ read: anybody }, { read: anybody })).toBe(false);
    expect(opens({ read: anybody }, { read: anybody, write: anybody })).toBe(true);
    expect(opens({ read: anybody, write: member }, { read: member, write: anybody })).toBe(true);
  });

  test('is not a group whose parts were in another one before', () => {
    expect(opens({ read: { all: [anybody, member] } }, { read: { any: [anybody, member] } })).toBe(true);
  });

  test('is not a deletion', () => expect(opens({ read: member }, undefined)).toBe(false));

  test('is judged at each door alone, whatever decides at the others', () => {
    const conditions = fc.constantFrom(undefined, [], member, anybody, [member, anybody], { policy: 'pol_1' });
    const ruled = fc.record({ read: conditions, write: conditions });
    fc.assert(
      fc.property(ruled, ruled, (before, after) => {
        const alone = doors(after).map((door) => opensDoor(() => [door], before, after));
        expect(opens(before, after)).toBe(alone.includes(true));
        expect(opensDoor(() => [({ read }) => read], { ...before, write: anybody }, after)).toBe(alone[0]);
      }),
    );
  });
});
