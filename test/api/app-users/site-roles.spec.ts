// Engines: one process.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SiteUsers } from '../../../src/areas/app-users/app-user/site-users.api.js';
import { AggregateLoader } from '../../../src/engine/commands/aggregate-loader.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
let workspaceId: string;
beforeAll(async () => {
  app = await sharedApp();
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Roles' })).id;
});
afterEach(async () => {
  jest.restoreAllMocks();
  await done(app, 'site/deleteProject', { id: projectId });
});

type Row = { readonly id: string; readonly name: string; readonly assignedUserCount: number } & Record<string, unknown>;
type Body = Readonly<Record<string, unknown>>;
let made = 0;
const call = (operation: string, body: object, key?: string) => app.call(`site/${operation}`, body, key);
const create = (name: string, body: Body = {}): Promise<Row> =>
  done(app, 'site/createProjectRole', { projectId, name, ...body });
const list = (): Promise<readonly Row[]> => done(app, 'site/listProjectRoles', { projectId });
const update = (roleId: string, body: Body): Promise<Row> => done(app, 'site/updateProjectRole', { roleId, ...body });
const user = async (body: Body = {}): Promise<string> => {
  const email = `user-${made++}@example.com`;
  return (await done(app, 'site/createAppUser', { projectId, email, password: 'long enough', ...body })).id;
};
const assign = (userId: string, roleId: string) => done(app, 'site/assignRoleToAppUser', { userId, roleId });
const unassign = (userId: string, roleId: string) => done(app, 'site/unassignRoleFromAppUser', { userId, roleId });
const rolesOf = async (userId: string): Promise<readonly string[]> =>
  (await done(app, 'site/getAppUserRoles', { userId })).map(({ name }: Row) => name);
const shownRoleIds = async (userId: string): Promise<readonly string[]> => {
  const { users } = await done(app, 'site/getAppUsers', { projectId, limit: 200 });
  return users.find(({ id }: Row) => id === userId).roleIds;
};
const answer = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};
const personOf = async (userId: string) => {
  const users = app.app.get(SiteUsers, { strict: false });
  const found = await users.find(workspaceId, userId);
  return found && users.personOf(found);
};
const typesOf = async (userId: string) => {
  const events = await app.app.get(EventStore, { strict: false }).readStream(`appUser-${workspaceId}.${userId}`);
  return events.map(({ type }) => type);
};
const otherProject = async (): Promise<string> => (await done(app, 'site/createProject', { name: 'Other' })).id;
const superAdmin = 'app-super-admin';

describe('listProjectRoles', () => {
  it('creates the reserved role if it is missing, and lists it first', async () => {
    await create('Editors');
    const roles = await list();
    expect(roles.map(({ name }) => name)).toEqual([superAdmin, 'Editors']);
    expect(roles[0]).toEqual({
      id: expect.stringMatching(/^role_/),
      name: superAdmin,
      color: null,
      isLegacy: false,
      isReserved: true,
      assignedUserCount: 0,
      createdAt: expect.any(String),
    });
    expect(await list()).toEqual(roles);
  });

  it('creates it once, even with simultaneous calls', async () => {
    const asked = await Promise.all(Array.from({ length: 20 }, list));
    expect(new Set(asked.map((roles) => roles.map(({ id }) => id).join())).size).toBe(1);
    expect(asked[0]).toHaveLength(1);
  });

  it('shows nothing of other projects, each of which has its own reserved role', async () => {
    const mine = await list();
    const other = await done(app, 'site/listProjectRoles', { projectId: await otherProject() });
    expect(other).toHaveLength(1);
    expect(other[0].id).not.toBe(mine[0]?.id);
  });

  it('is refused to read-only keys and Viewers, without creating anything (SA-04)', async () => {
    const { key: viewer } = await person(app, 'viewer');
    const readOnly = await keyOf(app, { kind: 'connection', readOnly: true });
    expect(await answer(call('listProjectRoles', { projectId }, readOnly))).toEqual([403, 'read-only-key']);
    expect(await answer(call('listProjectRoles', { projectId }, viewer))).toEqual([403, 'viewer-refused']);
    const loader = app.app.get(AggregateLoader, { strict: false });
    const [reserved] = await list();
    let first: string | undefined;
    for await (const one of loader.history(`siteRole-${workspaceId}.${reserved?.id}`))
      first ??= one.metadata.actor.kind;
    expect(first).toBe('person');
  });

  it('is 404 for another workspace', async () => {
    const { ownerKey } = await otherWorkspace(app);
    expect(await answer(call('listProjectRoles', { projectId }, ownerKey))).toEqual([404, 'site-not-found']);
  });
});

describe('createProjectRole', () => {
  it('answers the role, which listProjectRoles shows', async () => {
    const role = await create('Editors', { color: '#1a73e8' });
    expect(role).toEqual({
      id: expect.stringMatching(/^role_/),
      name: 'Editors',
      color: '#1a73e8',
      isLegacy: false,
      isReserved: false,
      assignedUserCount: 0,
      createdAt: expect.any(String),
    });
    expect(await list()).toContainEqual(role);
  });

  it.each(['#fff', '#FFF', '#1A73E8'])('takes the color %s', async (color) => {
    expect((await create('Colored', { color }))['color']).toBe(color);
  });

  it.each(['red', 'fff', '#ff', '#ffff', '#12345g', '#1234567', '', '#fff\n', null, 7])(
    'refuses the color %j',
    async (color) => {
      const { status, body } = await call('createProjectRole', { projectId, name: 'Colored', color });
      expect([status, body.errors?.[0]?.path]).toEqual([400, 'color']);
    },
  );

  it.each(['', '   ', 'x'.repeat(201), 'a\nb', 7, null, undefined])('refuses the name %j', async (name) => {
    const { status, body } = await call('createProjectRole', { projectId, name });
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'name']);
  });

  it.each([
    ['Editors', 'Editors'],
    ['Café', 'CAFE\u0301'],
  ])('refuses beside %j the name %j, but accepts it in another project', async (first, second) => {
    await create(first);
    expect(await answer(call('createProjectRole', { projectId, name: second }))).toEqual([409, 'role-name-taken']);
    expect(await create(second, { projectId: await otherProject() })).toMatchObject({ name: second });
  });

  it.each([superAdmin, ' APP-SUPER-ADMIN '])(
    'refuses the name of the reserved role %j, before and after that exists',
    async (name) => {
      expect(await answer(call('createProjectRole', { projectId, name }))).toEqual([409, 'role-name-taken']);
      expect(await list()).toHaveLength(1);
      expect(await answer(call('createProjectRole', { projectId, name }))).toEqual([409, 'role-name-taken']);
    },
  );

  it.each(['user', 'ADMIN'])(
    'refuses %j, which pages take for a legacy role, so that such a page is not open to every user',
    async (name) => {
      const { id: roleId } = await create('Members');
      expect(await answer(call('createProjectRole', { projectId, name }))).toEqual([409, 'role-name-legacy']);
      expect(await answer(call('updateProjectRole', { roleId, name }))).toEqual([409, 'role-name-legacy']);
    },
  );

  it('gives a name to one of 50 simultaneous calls', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        answer(call('createProjectRole', { projectId, name: n % 2 ? 'race' : 'RACE' })),
      ),
    );
    expect(replies.filter(([status]) => status === 200)).toHaveLength(1);
    expect(replies.filter(([, code]) => code === 'role-name-taken')).toHaveLength(49);
    expect((await list()).map(({ isReserved }) => isReserved)).toEqual([true, false]);
  });

  it('lets a role have a name that another gave up', async () => {
    const { id } = await create('First');
    await update(id, { name: 'Second' });
    await create('First');
    await done(app, 'site/deleteProjectRole', { roleId: id });
    await create('Second');
  });
});

describe('updateProjectRole', () => {
  it('changes what is sent and keeps the rest', async () => {
    const role = await create('Editors', { color: '#fff' });
    expect(await update(role.id, { name: 'Writers' })).toEqual({ ...role, name: 'Writers' });
    expect(await update(role.id, { color: '#000' })).toMatchObject({ name: 'Writers', color: '#000' });
    expect(await update(role.id, { color: null })).toEqual({ ...role, name: 'Writers', color: null });
    expect(await update(role.id, { name: 'WRITERS' })).toMatchObject({ name: 'WRITERS' });
  });

  it('refuses a name that another role has, and gives one to one of 20 simultaneous calls', async () => {
    await create('Editors');
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => create(`Role ${n}`)));
    expect(await answer(call('updateProjectRole', { roleId: all[0]?.id, name: 'eDITORS' }))).toEqual([
      409,
      'role-name-taken',
    ]);
    const replies = await Promise.all(
      all.map(({ id }) => answer(call('updateProjectRole', { roleId: id, name: 'Wanted' }))),
    );
    expect(replies.filter(([status]) => status === 200)).toHaveLength(1);
    expect((await list()).filter(({ name }) => name === 'Wanted')).toHaveLength(1);
  });

  it('does not change the name of the reserved role, but its color (Q-S30)', async () => {
    const [reserved] = await list();
    const roleId = reserved?.id ?? '';
    expect(await answer(call('updateProjectRole', { roleId, name: 'Owners' }))).toEqual([409, 'role-reserved']);
    expect(await answer(call('updateProjectRole', { roleId, name: 'Owners', color: '#fff' }))).toEqual([
      409,
      'role-reserved',
    ]);
    expect(await update(roleId, { name: superAdmin, color: '#abc' })).toEqual({ ...reserved, color: '#abc' });
    expect(await list()).toEqual([{ ...reserved, color: '#abc' }]);
  });
});

describe('assignRoleToAppUser', () => {
  it('assigns the role once, however often it is called, and unassign removes it likewise', async () => {
    const { id: roleId } = await create('Editors');
    const userId = await user();
    expect(await assign(userId, roleId)).toEqual({ success: true });
    await assign(userId, roleId);
    expect([await rolesOf(userId), await shownRoleIds(userId)]).toEqual([['Editors'], [roleId]]);
    expect((await personOf(userId))?.roleIds).toEqual([roleId]);
    expect(await unassign(userId, roleId)).toEqual({ success: true });
    await unassign(userId, roleId);
    expect([await rolesOf(userId), await shownRoleIds(userId)]).toEqual([[], []]);
    expect((await personOf(userId))?.roleIds).toEqual([]);
    expect(await typesOf(userId)).toEqual(['AppUserCreated', 'AppUserRoleAssigned', 'AppUserRoleUnassigned']);
  });

  it('counts users of a role exactly, including users created with it and deleted ones', async () => {
    const [editors, writers] = [await create('Editors'), await create('Writers')];
    const roleIds = [editors.id, writers.id];
    const counts = async () => (await list()).slice(1).map(({ assignedUserCount }) => assignedUserCount);
    const [ada, grace] = [await user({ roleIds }), await user({ roleIds: [editors.id] })];
    expect(await counts()).toEqual([2, 1]);
    await Promise.all(Array.from({ length: 10 }, () => assign(grace, writers.id)));
    expect(await counts()).toEqual([2, 2]);
    await unassign(ada, writers.id);
    await done(app, 'site/deleteAppUser', { projectId, userId: grace });
    expect(await counts()).toEqual([1, 0]);
    expect(await update(editors.id, { color: '#fff' })).toMatchObject({ assignedUserCount: 1 });
  });

  it('loses no simultaneous assignment or removal', async () => {
    const roles = await Promise.all(Array.from({ length: 12 }, (_, n) => create(`Role ${n}`)));
    const userId = await user({ roleIds: roles.slice(0, 6).map(({ id }) => id) });
    await Promise.all(roles.map(({ id }, n) => (n < 6 ? unassign(userId, id) : assign(userId, id))));
    expect(new Set(await shownRoleIds(userId))).toEqual(new Set(roles.slice(6).map(({ id }) => id)));
  });

  it.each(['assignRoleToAppUser', 'unassignRoleFromAppUser'])(
    'answers 404 for a role and a user of different projects, and for anything unknown: %s (Q-S29)',
    async (operation) => {
      const { id: roleId } = await create('Editors');
      const { id: others } = await create('Editors', { projectId: await otherProject() });
      const userId = await user();
      const { ownerKey } = await otherWorkspace(app);
      expect(await answer(call(operation, { userId, roleId: others }))).toEqual([404, 'app-user-not-found']);
      expect(await answer(call(operation, { userId, roleId: 'role_none' }))).toEqual([404, 'role-not-found']);
      expect(await answer(call(operation, { userId: 'usr_none', roleId }))).toEqual([404, 'app-user-not-found']);
      expect(await answer(call(operation, { userId, roleId }, ownerKey))).toEqual([404, 'role-not-found']);
      expect(await typesOf(userId)).toEqual(['AppUserCreated']);
    },
  );
});

describe('getAppUserRoles', () => {
  it('answers the roles of one user as listProjectRoles does', async () => {
    const role = await create('Editors', { color: '#123456' });
    const userId = await user({ roleIds: [role.id] });
    expect(await done(app, 'site/getAppUserRoles', { userId })).toEqual([{ ...role, assignedUserCount: 1 }]);
  });

  it('requires the right to see personal data in the workspace', async () => {
    const userId = await user();
    const { key: viewer } = await person(app, 'viewer');
    const { ownerKey } = await otherWorkspace(app);
    expect(await answer(call('getAppUserRoles', { userId }, viewer))).toEqual([403, 'permission-missing']);
    expect(await answer(call('getAppUserRoles', { userId }, ownerKey))).toEqual([404, 'app-user-not-found']);
  });
});

describe('deleteProjectRole', () => {
  it('deletes the role and all its assignments', async () => {
    const [gone, kept] = [await create('Gone'), await create('Kept')];
    const users = await Promise.all(Array.from({ length: 5 }, () => user({ roleIds: [gone.id, kept.id] })));
    expect(await done(app, 'site/deleteProjectRole', { roleId: gone.id })).toEqual({ success: true });
    for (const one of users) {
      expect((await personOf(one))?.roleIds).toEqual([kept.id]);
      expect(await rolesOf(one)).toEqual(['Kept']);
    }
    expect((await list()).map(({ name, assignedUserCount }) => [name, assignedUserCount])).toEqual([
      [superAdmin, 0],
      ['Kept', 5],
    ]);
    for (const one of users) {
      await eventually(
        () => shownRoleIds(one),
        (ids) => ids.length === 1,
      );
    }
    expect(await answer(call('updateProjectRole', { roleId: gone.id, name: 'x' }))).toEqual([404, 'role-not-found']);
    expect(await answer(call('deleteProjectRole', { roleId: gone.id }))).toEqual([404, 'role-not-found']);
  });

  it('removes it from a user who is assigned it at that moment', async () => {
    const { id: roleId } = await create('Gone');
    const userId = await user();
    const log = app.app.get(EventStore, { strict: false });
    const append = log.append.bind(log);
    const held = jest.spyOn(log, 'append').mockImplementation(async (requests, options) => {
      if (requests.some(({ events }) => events.some(({ type }) => type === 'AppUserRoleAssigned'))) {
        held.mockRestore();
        await done(app, 'site/deleteProjectRole', { roleId });
      }
      return append(requests, options);
    });
    await assign(userId, roleId);
    expect((await personOf(userId))?.roleIds).toEqual([]);
    await eventually(
      () => shownRoleIds(userId),
      (ids) => ids.length === 0,
    );
  });

  it('is refused for the reserved role', async () => {
    const [reserved] = await list();
    expect(await answer(call('deleteProjectRole', { roleId: reserved?.id }))).toEqual([409, 'role-reserved']);
    expect(await list()).toEqual([reserved]);
  });

  it('is refused to keys that never delete, like removing a role from a user', async () => {
    const { id: roleId } = await create('Editors');
    const userId = await user({ roleIds: [roleId] });
    const key = await keyOf(app, { kind: 'connection', neverDeletes: true });
    expect(await answer(call('deleteProjectRole', { roleId }, key))).toEqual([403, 'key-never-deletes']);
    expect(await answer(call('unassignRoleFromAppUser', { userId, roleId }, key))).toEqual([403, 'key-never-deletes']);
    expect(await rolesOf(userId)).toEqual(['Editors']);
  });
});
