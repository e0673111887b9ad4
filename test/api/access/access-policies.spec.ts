// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { SitePolicies } from '../../../src/areas/access/policy/site-policies.api.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app?.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Policies' })).id;
});

const signedIn = { type: 'authenticated' };
const entitled = (key: string) => ({ type: 'has_entitlement', key });
const call = (operation: string, body: object, key?: string) => app.call(`site/${operation}`, body, key);
const create = (body: object = {}, key?: string) =>
  done(app, 'site/createAccessPolicy', { projectId, name: 'Members', condition: signedIn, ...body }, key);
const update = (policyId: string, body: object) => done(app, 'site/updateAccessPolicy', { policyId, ...body });
const list = (): Promise<readonly Record<string, unknown>[]> => done(app, 'site/listAccessPolicies', { projectId });
const refused = async (operation: string, body: object) => {
  const { status, body: answer } = await call(operation, body);
  return { status, code: answer.code, detail: String(answer.detail), errors: answer.errors };
};
const refusedCreation = (condition: unknown, name = 'Wide') =>
  refused('createAccessPolicy', { projectId, name, condition });

describe('createAccessPolicy', () => {
  it('answers the policy, which is listed, the oldest first', async () => {
    const first = await create({ description: 'Whoever signed in.', color: '#3B82F6' });
    expect(first).toEqual({
      id: expect.stringMatching(/^pol_/),
      name: 'Members',
      description: 'Whoever signed in.',
      color: '#3B82F6',
      condition: signedIn,
    });
    const second = await create({ name: 'Pro', condition: [entitled('pro'), { policy: first.id }] });
    expect(second).toMatchObject({ description: null, color: null });
    expect(await list()).toEqual([first, second]);
  });

  it('refuses a name that another policy of the site has, but accepts it in another site', async () => {
    await create();
    expect(await refusedCreation(signedIn, 'Members')).toMatchObject({ status: 409, code: 'access-policy-name-taken' });
    await create({ name: 'members' });
    const other = await done(app, 'site/createProject', { name: 'Other' });
    await create({ projectId: other.id });
  });

  it('gives a name to one of twenty simultaneous calls', async () => {
    const sent = { projectId, name: 'Wanted', condition: signedIn };
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await call('createAccessPolicy', sent)).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(await list()).toHaveLength(1);
  });

  test.each<readonly [string, unknown, string]>([
    ['no condition at all', null, 'condition'],
    ['a role that there is not', { not: { type: 'has_role', roleId: 'role_none' } }, 'condition.not.roleId'],
    ['a function that there is not', { type: 'function', functionId: 'fn_none' }, 'condition.functionId'],
    ['a policy that there is not', { any: [signedIn, { policy: 'pol_none' }] }, 'condition.any[1].policy'],
  ])('refuses %s, naming the policy and the path', async (_, condition, path) => {
    const { status, code, detail, errors } = await refusedCreation(condition);
    expect([status, code]).toEqual([400, 'condition-invalid']);
    expect(errors[0].path).toBe(path);
    expect(detail).toContain("the policy 'Wide'");
    expect(await list()).toEqual([]);
  });
});

describe('a role in a condition', () => {
  const role = async (of: string) => (await done(app, 'site/createProjectRole', { projectId: of, name: 'Staff' })).id;

  it('must belong to the same site: one of another is refused by name', async () => {
    const other = await done(app, 'site/createProject', { name: 'Other' });
    const [own, foreign] = [await role(projectId), await role(other.id)];
    await create({ condition: { type: 'has_role', roleId: own } });
    const { status, detail } = await refusedCreation({ type: 'has_role', roleId: foreign });
    expect([status, detail]).toEqual([400, expect.stringContaining(foreign)]);
  });

  it('admits nobody once it is deleted, and does not prevent other changes', async () => {
    const roleId = await role(projectId);
    const { id } = await create({ condition: { type: 'has_role', roleId } });
    await done(app, 'site/deleteProjectRole', { roleId });
    await update(id, { name: 'Former staff' });
  });
});

describe('updateAccessPolicy', () => {
  it('changes what is sent and nothing else', async () => {
    const policy = await create({ description: 'One' });
    expect(await update(policy.id, { name: 'Everybody', description: 'Two' })).toEqual({
      ...policy,
      name: 'Everybody',
      description: 'Two',
    });
    const condition = { not: signedIn };
    expect(await update(policy.id, { condition })).toMatchObject({ name: 'Everybody', condition });
    expect(await list()).toEqual([{ ...policy, name: 'Everybody', description: 'Two', condition }]);
  });

  it('refuses a policy that would refer back to itself, and changes nothing', async () => {
    const first = await create({ name: 'First' });
    const second = await create({ name: 'Second', condition: { not: { policy: first.id } } });
    for (const condition of [{ policy: first.id }, { any: [signedIn, { policy: second.id }] }]) {
      const { status, detail } = await refused('updateAccessPolicy', { policyId: first.id, condition });
      expect([status, detail]).toEqual([400, expect.stringContaining("the policy 'First'")]);
      expect(detail).toContain('refer back');
    }
    expect((await list())[0]).toEqual(first);
  });

  it('saves one of two simultaneous changes that would refer to each other', async () => {
    const [a, b] = [await create({ name: 'A' }), await create({ name: 'B' })];
    const replies = await Promise.all([
      call('updateAccessPolicy', { policyId: a.id, condition: { policy: b.id } }),
      call('updateAccessPolicy', { policyId: b.id, condition: { policy: a.id } }),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});

describe('deleteAccessPolicy', () => {
  it('always works, also while another policy refers to it', async () => {
    const policy = await create();
    const other = await create({ name: 'Other', condition: { policy: policy.id } });
    expect(await done(app, 'site/deleteAccessPolicy', { policyId: policy.id })).toEqual({ success: true });
    expect(await list()).toEqual([other]);
    await create();
  });
});

describe('policies', () => {
  it('are not found once deleted, in another workspace, or without their project', async () => {
    const { id: policyId } = await create();
    const { ownerKey: stranger } = await otherWorkspace(app);
    expect((await call('updateAccessPolicy', { policyId, name: 'Mine' }, stranger)).status).toBe(404);
    expect((await call('deleteAccessPolicy', { policyId }, stranger)).status).toBe(404);
    expect((await call('listAccessPolicies', { projectId }, stranger)).status).toBe(404);
    await done(app, 'site/deleteProject', { id: projectId });
    expect((await call('updateAccessPolicy', { policyId, name: 'Late' })).status).toBe(404);
    expect((await call('listAccessPolicies', { projectId })).status).toBe(404);
  });

  it('end with their project', async () => {
    const { id: policyId } = await create();
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const policies = () => app.app.get(SitePolicies, { strict: false }).of(workspaceId, projectId);
    expect((await policies())(policyId)).toBeDefined();
    await done(app, 'site/deleteProject', { id: projectId });
    const known = await eventually(policies, (now) => now(policyId) === undefined);
    expect(known(policyId)).toBeUndefined();
  });

  it('keep their history under the project: who changed which, and what', async () => {
    const { id: policyId } = await create();
    await update(policyId, { condition: { not: signedIn } });
    const { events } = await done(app, 'audit/getHistory', { kind: 'accessPolicies', id: projectId });
    expect(events.map(({ type }: { readonly type: string }) => type)).toEqual([
      'AccessPoliciesBegun',
      'AccessPolicyCreated',
      'AccessPolicyUpdated',
    ]);
    expect(events[2]).toMatchObject({ data: { policyId, condition: { not: signedIn } } });
  });

  it('can be read by every member and changed by Editors and above', async () => {
    const viewer = (await person(app, 'viewer')).key;
    const editor = (await person(app, 'editor')).key;
    const { id: policyId } = await create({}, editor);
    expect((await call('listAccessPolicies', { projectId }, viewer)).body).toHaveLength(1);
    const body = { projectId, name: 'No', condition: signedIn };
    expect((await call('createAccessPolicy', body, viewer)).status).toBe(403);
    expect((await call('updateAccessPolicy', { policyId, name: 'No' }, viewer)).status).toBe(403);
    expect((await call('deleteAccessPolicy', { policyId }, viewer)).status).toBe(403);
  });
});
