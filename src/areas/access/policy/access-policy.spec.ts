import { describe, expect, it, test } from '@jest/globals';
import { given, specActor, stateOf } from '../../../../test/support/given/given.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { Kept } from '../judging/broken-conditions.api.js';
import { createPolicy, deletePolicy, endPolicies, policyUpdated, updatePolicy } from './access-policy.js';
import { type AccessPoliciesEvent, accessPolicies } from './access-policy.record.js';
import type { Approved, Guard } from './led-from.api.js';

const signedIn = { type: 'authenticated' } as const;
const onRows = { type: 'creator' } as const;
const site = { roles: new Set(['role_1']), functions: new Set(['fn_1']) };
const holding = { ...site, held: [] as readonly Kept[] };
const begun: AccessPoliciesEvent = { type: 'AccessPoliciesBegun', data: { projectId: 'proj_1' } };
const created = (policyId: string, name: string, condition: Condition = signedIn): AccessPoliciesEvent => ({
  type: 'AccessPolicyCreated',
  data: { policyId, name, description: null, color: null, condition },
});
const some = [begun, created('pol_1', 'Members')];
const ids = { projectId: 'proj_1', policyId: 'pol_2' };
const creating = (condition: unknown, name = 'Pro') => ({ name, condition });

describe('a new policy', () => {
  it('is the first in a site without policies', () => {
    given().when(createPolicy, undefined, ids, creating(signedIn), site).emits(begun, created('pol_2', 'Pro'));
  });

  it('may refer to another of the site, and to its roles and functions', () => {
    const condition = [{ policy: 'pol_1' }, { type: 'has_role', roleId: 'role_1' }] as const;
    given(accessPolicies, some)
      .when(createPolicy, ids, creating(condition), site)
      .emits(created('pol_2', 'Pro', condition));
  });

  it('needs a unique name in the site, with case', () => {
    const taken = creating(signedIn, 'Members');
    given(accessPolicies, some).when(createPolicy, ids, taken, site).refuses('access-policy-name-taken');
    const other = creating(signedIn, 'members');
    given(accessPolicies, some).when(createPolicy, ids, other, site).emits(created('pol_2', 'members'));
  });

  test.each<readonly [string, unknown, string]>([
    ['no condition', null, 'condition'],
    ['an empty list', [], 'condition'],
    ['an unknown rule type', { type: 'friend' }, 'condition.type'],
    ['a public rule without its scope', [signedIn, { type: 'public' }], 'condition[1].scope'],
    ['an empty group', { all: [] }, 'condition.all'],
    ['an unknown role', { not: { type: 'has_role', roleId: 'role_2' } }, 'condition.not.roleId'],
    ['an unknown function', { type: 'function', functionId: 'fn_2' }, 'condition.functionId'],
    ['an unknown policy', { any: [signedIn, { policy: 'pol_9' }] }, 'condition.any[1].policy'],
    ['itself', { policy: 'pol_2' }, 'condition.policy'],
  ])('refuses %s, naming the policy and the path', (_, condition, path) => {
    const refusal = given(accessPolicies, some).when(createPolicy, ids, creating(condition), site);
    refusal.refuses('condition-invalid', { errors: [expect.objectContaining({ path })] });
  });

  it('is refused if the site has 200', () => {
    const full = [begun, ...Array.from({ length: 200 }, (_, n) => created(`pol_${n + 10}`, `P${n}`))];
    given(accessPolicies, full).when(createPolicy, ids, creating(signedIn), site).refuses('policies-full');
  });
});

describe('a changed policy', () => {
  it('records differences, and nothing without one', () => {
    given(accessPolicies, some).when(policyUpdated, 'pol_1', { name: 'Members' }, holding).emitsNothing();
    given(accessPolicies, some)
      .when(policyUpdated, 'pol_1', { name: 'Staff', color: null, condition: { not: signedIn } }, holding)
      .emits({ type: 'AccessPolicyUpdated', data: { policyId: 'pol_1', name: 'Staff', condition: { not: signedIn } } });
  });

  it('keeps its own name, and takes no name of another', () => {
    const two = [...some, created('pol_2', 'Pro')];
    given(accessPolicies, two)
      .when(policyUpdated, 'pol_1', { name: 'Pro' }, holding)
      .refuses('access-policy-name-taken');
  });

  it('is refused if it does not exist', () => {
    given(accessPolicies, some).when(policyUpdated, 'pol_9', {}, holding).refuses('access-policy-not-found');
    given().when(policyUpdated, undefined, 'pol_1', {}, holding).refuses('access-policy-not-found');
  });

  it('cannot refer back to itself through another', () => {
    const two = [...some, created('pol_2', 'Pro', { not: { policy: 'pol_1' } })];
    given(accessPolicies, two)
      .when(policyUpdated, 'pol_1', { condition: { any: [signedIn, { policy: 'pol_2' }] } }, holding)
      .refuses('condition-invalid');
  });

  it('breaks no stored condition, and need not repair a broken one', () => {
    const page = { place: 'page', kind: 'page', id: 'page_1', name: 'Home', operation: 'open' } as const;
    const held = (condition: unknown) => ({ ...site, held: [{ ...page, condition }] });
    given(accessPolicies, some)
      .when(policyUpdated, 'pol_1', { condition: onRows }, held([{ policy: 'pol_1' }]))
      .refuses('policy-breaks', { resource: { kind: 'page', id: 'page_1', name: 'Home', operation: 'open' } });
    given(accessPolicies, some)
      .when(policyUpdated, 'pol_1', { condition: onRows }, held([{ policy: 'pol_1' }, { policy: 'pol_9' }]))
      .emits({ type: 'AccessPolicyUpdated', data: { policyId: 'pol_1', condition: onRows } });
  });

  it('may become smaller in a site beyond a limit, but not larger', () => {
    const over = [begun, ...Array.from({ length: 201 }, (_, n) => created(`pol_${n}`, `P${n}`, { not: signedIn }))];
    given(accessPolicies, over)
      .when(policyUpdated, 'pol_1', { condition: signedIn }, holding)
      .emits({ type: 'AccessPolicyUpdated', data: { policyId: 'pol_1', condition: signedIn } });
    given(accessPolicies, over)
      .when(policyUpdated, 'pol_1', { condition: { all: [{ not: signedIn }] } }, holding)
      .refuses('policies-full');
  });
});

describe('a policy that decides who may execute an approved function', () => {
  const approved = (guard: Exclude<Guard, 'none'>): readonly Approved[] => [
    { id: 'fn_1', name: 'Refund', guard, rules: [[{ policy: 'pol_1' }]] },
  ];
  const [agent, automation]: readonly Actor[] = [
    { ...specActor, kind: 'agent' },
    { ...specActor, kind: 'automation' },
  ];
  const condition = { not: signedIn };
  const change = { type: 'AccessPolicyUpdated', data: { policyId: 'pol_1', condition } };
  const updated = (by: Actor, functions: readonly Approved[], sent: object) =>
    updatePolicy(stateOf(accessPolicies, some), 'pol_1', sent, { ...holding, by, approved: functions });

  it.each([
    ['an agent', agent, 'agent-may-not-change'],
    ['an automation', automation, 'automation-may-not-change'],
  ])('cannot be changed by %s, but otherwise can', (_, by, code) => {
    const change = () => [...updated(by as Actor, approved('person'), { condition }).events];
    given()
      .when(change)
      .refuses(code as 'agent-may-not-change');
    expect(updated(by as Actor, [], { condition }).events).toHaveLength(1);
    expect(updated(by as Actor, approved('card'), { name: 'Staff' }).events).toHaveLength(1);
  });

  it('is changed by a person at once, and with Full data access when its card is approved', () => {
    expect(updated(specActor, approved('person'), { condition })).toEqual({ events: [change] });
    expect(updated(specActor, approved('card'), { condition })).toMatchObject({
      events: [],
      proposal: {
        kind: 'access-policy',
        summary:
          "Change the access policy 'Members', which decides who may execute the function 'Refund', with Full data access.",
        changes: [{ path: 'condition', from: signedIn, to: condition }],
        approver: 'editor',
        input: { projectId: 'proj_1', policyId: 'pol_1', changed: { condition } },
      },
    });
  });
});

it('a policy is deleted once, and all are deleted with their site', () => {
  given(accessPolicies, some)
    .when(deletePolicy, 'pol_1')
    .emits({ type: 'AccessPolicyDeleted', data: { policyId: 'pol_1' } });
  given(accessPolicies, some).when(deletePolicy, 'pol_9').refuses('access-policy-not-found');
  given().when(deletePolicy, undefined, 'pol_1').refuses('access-policy-not-found');
  given(accessPolicies, some)
    .when(endPolicies)
    .emits({ type: 'AccessPoliciesEnded', data: { projectId: 'proj_1' } });
});
