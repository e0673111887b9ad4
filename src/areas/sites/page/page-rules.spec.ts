import { describe, expect, test } from '@jest/globals';
import { noPolicies, policies } from '../../../../test/support/conditions/condition-facts.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { ruleOfFlags } from './page.record.js';
import { flagsOfRule } from './page-rules.api.js';

const everybody: Condition = { type: 'public', scope: 'everywhere' };
const signedIn: Condition = { type: 'authenticated' };
const editors: Condition = { type: 'has_role', roleId: 'role_1' };

test('flags and their conditions can be converted to each other', () => {
  for (const flags of [
    { isProtected: false, requiredRole: null },
    { isProtected: true, requiredRole: null },
    { isProtected: true, requiredRole: 'role_1' },
  ]) {
    expect(flagsOfRule(ruleOfFlags(flags), noPolicies)).toEqual(flags);
  }
});

describe('the flags of a rule', () => {
  test.each<readonly [string, Condition | undefined, boolean, string | null]>([
    ['nothing', undefined, true, null],
    ['an empty list', [], true, null],
    ['everybody, among others', [editors, everybody], false, null],
    ['the internet', { type: 'public', scope: 'internet' }, false, null],
    ['this site', { type: 'public', scope: 'site' }, false, null],
    ['nobody', { not: everybody }, true, null],
    ['whoever has not signed in', { not: signedIn }, false, null],
    ['one role in a list', [editors], true, 'role_1'],
    ['one role or another', [editors, { type: 'has_role', roleId: 'role_2' }], true, null],
    ['a policy that admits everybody', { policy: 'open' }, false, null],
    ['a policy that is gone', [everybody, { policy: 'gone' }], true, null],
  ])('the flags of a page whose rule is %s', (_, read, isProtected, requiredRole) => {
    const known = policies({ open: [everybody] });
    expect(flagsOfRule(read, known)).toEqual({ isProtected, requiredRole });
  });
});
