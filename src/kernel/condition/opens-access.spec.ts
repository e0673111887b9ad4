import { describe, expect, test } from '@jest/globals';
import { opensAccess, publishesOpening } from './opens-access.js';

const anybody = { type: 'public', scope: 'internet' };
const member = { type: 'authenticated' };
const set = (read: unknown, type = 'PageUpdated') => ({ type, data: { accessRules: { read } } });

describe('a change that gives access without a sign-in', () => {
  test.each([
    ['a public rule', anybody],
    ['a public rule in a list', [member, anybody]],
    ['a public rule in groups', { all: [{ any: [member, anybody] }] }],
    ['a policy, which may be public', { policy: 'pol_1' }],
    ['a function, which may admit anybody', { type: 'function', functionId: 'fn_1' }],
    ['what is not', { not: { type: 'has_role', roleId: 'role_1' } }],
  ])('%s gives access without a sign-in', (_, condition) => expect(opensAccess(set(condition), {})).toBe(true));

  test.each([
    ['a sign-in', member],
    ['nobody', []],
    [
      'a role and an entitlement',
      {
        all: [
          { type: 'has_role', roleId: 'r' },
          { type: 'has_entitlement', key: 'k' },
        ],
      },
    ],
  ])('is not: %s', (_, condition) => expect(opensAccess(set(condition), {})).toBe(false));

  test('is not what the record had before under the same name', () => {
    const before = { accessRules: { read: anybody } };
    expect(opensAccess(set(anybody), before)).toBe(false);
    expect(opensAccess({ type: 'TableAccessRulesSet', data: { accessRules: { create: anybody } } }, before)).toBe(true);
  });

  test('is not a group whose parts were in another one before', () => {
    const before = { accessRules: { read: { all: [anybody, member] } } };
    expect(opensAccess(set({ any: [anybody, member] }), before)).toBe(true);
  });

  test('is not a draft, but its publication', () => {
    expect(opensAccess(set(anybody, 'FunctionDraftSaved'), {})).toBe(false);
    const published = { type: 'FunctionPublished', data: { versionId: 'v' } };
    const before = { accessRules: { execute: member }, draft: { accessRules: { execute: anybody } } };
    expect(publishesOpening(published, before)).toBe(true);
    expect(publishesOpening(published, { ...before, draft: { accessRules: { execute: member } } })).toBe(false);
  });
});
