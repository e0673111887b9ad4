import { describe, expect, it } from '@jest/globals';
import { facts, person, policies } from '../../../../test/support/conditions/condition-facts.js';
import { judgedTree } from '../../../kernel/judging/judged-tree.js';
import { explainedPart, neededChange } from './explained-parts.js';

const signedIn = { type: 'authenticated' };
const staff = { type: 'has_role', roleId: 'role_1' };
const roles = new Map([['role_1', 'Staff']]);
const explained = (condition: unknown, names = roles) => {
  const tree = judgedTree(condition, facts({ person: person() }), policies({ members: signedIn }));
  if (tree.kind !== 'tree') throw new Error(`It is ${tree.kind}.`);
  return explainedPart(tree.root, names);
};

describe('an explained condition', () => {
  it.each<[string, unknown, string]>([
    ['all of a group', { all: [signedIn, staff] }, 'All of 2 must grant access: 1 do, so this denies access.'],
    ['any of a group', { any: [signedIn, staff] }, 'One of 2 must grant access: 1 do, so this grants access.'],
    ['a list', [staff, staff], 'One of 2 must grant access: 0 do, so this denies access.'],
    ['a negation', { not: staff }, 'The negation of a condition grants access.'],
    ['a policy', { policy: 'members' }, "The policy 'members' grants access."],
  ])('shows the result of %s', (_, condition, sentence) => {
    expect(explained(condition).sentence).toBe(sentence);
  });

  it('names policies and roles, and a deleted role by its id', () => {
    expect(explained({ policy: 'members' })).toMatchObject({ policy: { id: 'members', name: 'members' } });
    expect(explained(staff).sentence).toContain('Staff');
    expect(explained(staff).rule).toEqual(staff);
    expect(explained(staff, new Map()).sentence).toContain('role_1');
  });

  it('omits its deepest parts beyond 500, and reports their number', () => {
    const wide = { any: Array.from({ length: 25 }, () => ({ all: Array.from({ length: 25 }, () => signedIn) })) };
    const { parts = [] } = explained(wide);
    expect(parts).toHaveLength(25);
    expect(parts.reduce((sum, part) => sum + (part.parts?.length ?? 0), 0)).toBe(500 - 26);
    expect(parts.reduce((sum, part) => sum + (part.leftOut ?? 0), 0)).toBe(25 * 25 - (500 - 26));
    expect(parts.at(-1)?.sentence).toContain('All of 25');
  });
});

it('states a needed change as the result that the rule would need', () => {
  const change = neededChange({ path: '[0]', rule: staff as never, from: 'denied', to: 'allowed' }, roles);
  expect(change).toMatchObject({ path: '[0]', from: 'denied', to: 'allowed' });
  expect(change.sentence).toContain('Staff');
});
