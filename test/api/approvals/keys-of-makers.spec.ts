import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, type Person, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

interface Key {
  readonly id: string;
  readonly key: string;
  readonly name: string;
}

const make = (wanted: object, by?: string): Promise<Key> => done(app, 'workspace/createApiKey', wanted, by);
const statusOf = async (key: string) => (await app.call('workspace/getWorkspace', {}, key)).status;
const statuses = async (keys: readonly Key[]) =>
  Object.fromEntries(await Promise.all(keys.map(async ({ name, key }) => [name, await statusOf(key)])));
const listed = async (id: string) =>
  (await done(app, 'workspace/listApiKeys')).find((key: { id: string }) => key.id === id);

/** One key of each kind that an Admin can create, and one created with a key of that Admin's making. */
async function keysMadeBy(admin: Person, bob: Person): Promise<readonly Key[]> {
  const agent = await done(app, 'workspace/addAgent', { name: "Bob's", memberId: bob.id }, admin.key);
  const forBob = await make({ name: "Bob's", kind: 'person', memberId: bob.id }, admin.key);
  return [
    forBob,
    await make({ name: "Bob's client", kind: 'connection', memberId: bob.id }, admin.key),
    await make({ name: "agent's", kind: 'agent', agentId: agent.id }, admin.key),
    await make({ name: 'automation', kind: 'automation' }, admin.key),
    await make({ name: 'flow', kind: 'flow' }, admin.key),
    await make({ name: "Bob's own by that", kind: 'person' }, forBob.key),
  ];
}

const all = (keys: readonly Key[], status: number) => Object.fromEntries(keys.map(({ name }) => [name, status]));

describe.each([
  ['removed', 'maker-removed', (id: string) => done(app, 'workspace/removeMember', { id })],
  ['made an Editor', 'maker-demoted', (id: string) => done(app, 'workspace/updateMember', { id, role: 'editor' })],
] as const)('keys made by an Admin who is %s', (_, reason, change) => {
  it('end at once, are named in the answer, and are listed with the reason', async () => {
    const [admin, bob] = [await person(app, 'admin'), await person(app, 'admin')];
    const made = await keysMadeBy(admin, bob);
    const others = await make({ name: "Bob's from the Owner", kind: 'person', memberId: bob.id });
    expect(await statuses(made)).toEqual(all(made, 200));

    const { endedKeys } = await change(admin.id);

    expect(await statuses(made)).toEqual(all(made, 401));
    const told = endedKeys.map(({ id }: { id: string }) => id);
    expect(told.filter((id: string) => id !== admin.keyId)).toEqual(made.map(({ id }) => id));
    for (const { id } of made) {
      expect(await listed(id)).toMatchObject({ status: 'revoked', endedBecause: reason });
      const recorded = await eventually(
        () => listed(id),
        ({ revokedAt }) => revokedAt !== null,
      );
      expect(recorded).toMatchObject({ status: 'revoked', endedBecause: reason });
    }
    expect(await statuses([others, { ...bob, name: 'first' }])).toEqual({ [others.name]: 200, first: 200 });
    expect(await statusOf(admin.key)).toBe(reason === 'maker-removed' ? 401 : 200);
  });
});

describe('keys made by a member', () => {
  it('are not restored with the member', async () => {
    const [admin, bob] = [await person(app, 'admin'), await person(app, 'editor')];
    const key = await make({ name: 'CI', kind: 'automation' }, admin.key);
    await done(app, 'workspace/updateMember', { id: admin.id, role: 'editor' });
    await eventually(
      () => listed(key.id),
      ({ revokedAt }) => revokedAt !== null,
    );
    await done(app, 'workspace/updateMember', { id: admin.id, role: 'admin' });
    expect([await statusOf(key.key), await statusOf(bob.key)]).toEqual([401, 200]);
  });

  it('for themselves survive a lower role', async () => {
    const admin = await person(app, 'admin');
    const own = await make({ name: 'own', kind: 'person' }, admin.key);
    const { endedKeys } = await done(app, 'workspace/updateMember', { id: admin.id, role: 'viewer' });
    expect([endedKeys, await statusOf(own.key)]).toEqual([[], 200]);
  });

  it('are not affected by other changes of the member', async () => {
    const admin = await person(app, 'admin');
    const key = await make({ name: 'CI', kind: 'automation' }, admin.key);
    const { endedKeys } = await done(app, 'workspace/updateMember', { id: admin.id, name: 'Renamed' });
    expect([endedKeys, await statusOf(key.key)]).toEqual([[], 200]);
  });
});
