// Engines: one process.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SiteUsers } from '../../../src/areas/app-users/app-user/site-users.api.js';
import { AggregateLoader } from '../../../src/engine/commands/aggregate-loader.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
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
  await done(app, 'site/deleteProject', { id: projectId });
});

type Row = { readonly id: string; readonly name: string; readonly assignedUserCount: number } & Record<string, unknown>;
type Body = Readonly<Record<string, unknown>>;
let made = 0;
const create = (name: string, body: Body = {}): Promise<Row> =>
  done(app, 'site/createProjectRole', { projectId, name, ...body });
const list = (): Promise<readonly Row[]> => done(app, 'site/listProjectRoles', { projectId });
const user = async (body: Body = {}): Promise<string> => {
  const email = `user-${made++}@example.com`;
  return (await done(app, 'site/createAppUser', { projectId, email, password: 'long enough', ...body })).id;
};
const unassign = (userId: string, roleId: string) => done(app, 'site/unassignRoleFromAppUser', { userId, roleId });
const rolesOf = async (userId: string): Promise<readonly string[]> =>
  (await done(app, 'site/getAppUserRoles', { userId })).map(({ name }: Row) => name);
const shownRoleIds = async (userId: string): Promise<readonly string[]> => {
  const { users } = await done(app, 'site/getAppUsers', { projectId, limit: 200 });
  return users.find(({ id }: Row) => id === userId).roleIds;
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
const superAdmin = 'app-super-admin';
/** Records a `requiredRole` as versions before roles did. */
const plantRole = async (pageId: string, requiredRole: string) => {
  const log = app.app.get(EventStore, { strict: false });
  const stream = `page-${workspaceId}.${pageId}`;
  const [last] = await log.readStream(stream, { direction: 'backward', limit: 1 });
  if (last === undefined) throw new Error('The page is not recorded.');
  const { revision, metadata } = last;
  const event = { id: randomUUID(), type: 'PageUpdated', data: { projectId, requiredRole, message: null } };
  const [appended] = await log.append([{ stream, expected: revision, events: [{ ...event, metadata }] }]);
  app.app.get(AggregateLoader, { strict: false }).forget(stream);
  await eventually(
    () => done(app, 'site/getPage', { id: pageId }),
    (page) => page.requiredRole === requiredRole && appended !== undefined,
  );
};

describe.each(['listProjectRoles', 'migrateProjectToRoleSystem'])('legacy roles, by %s (Q-S31)', (operation) => {
  const migrate = () => done(app, `site/${operation}`, { projectId });
  const setRole = (userId: string, role: string) => done(app, 'site/updateAppUser', { projectId, userId, role });

  it('become roles: admin the reserved one, user none, and others roles with their name', async () => {
    const [admin, plain, none] = [await user({ role: 'admin' }), await user({ role: 'user' }), await user()];
    const [editor, sameEditor] = [await user(), await user()];
    await setRole(editor, 'Editor');
    await setRole(sameEditor, 'EDITOR');
    await migrate();
    expect(await rolesOf(admin)).toEqual([superAdmin]);
    expect([await rolesOf(plain), await rolesOf(none)]).toEqual([[], []]);
    expect(await rolesOf(editor)).toEqual(await rolesOf(sameEditor));
    const [, legacy] = await list();
    expect(legacy).toMatchObject({ isLegacy: true, isReserved: false, assignedUserCount: 2 });
    expect(legacy?.name.toLowerCase()).toBe('editor');
  });

  it('become an existing role, in any case', async () => {
    const { id } = await create('Editor');
    const userId = await user();
    await setRole(userId, 'editor');
    await migrate();
    expect(await shownRoleIds(userId)).toEqual([id]);
    expect(await list()).toHaveLength(2);
  });

  it('become roles once: repeating it changes nothing, and removed ones stay removed', async () => {
    const userId = await user({ role: 'admin' });
    await migrate();
    const types = await typesOf(userId);
    await migrate();
    expect(await typesOf(userId)).toEqual(types);
    const [roleId] = await shownRoleIds(userId);
    await unassign(userId, roleId ?? '');
    await migrate();
    expect(await rolesOf(userId)).toEqual([]);
  });

  it('become roles once for ten simultaneous calls', async () => {
    const users = await Promise.all(Array.from({ length: 10 }, () => user()));
    await Promise.all(users.map((one, n) => setRole(one, n % 2 ? 'Odd' : 'odd')));
    await Promise.all(Array.from({ length: 10 }, migrate));
    const [, odd, ...others] = await list();
    expect([odd?.assignedUserCount, others]).toEqual([10, []]);
    for (const one of users) {
      expect((await typesOf(one)).filter((type) => type === 'AppUserRoleAssigned')).toHaveLength(1);
    }
  });

  it('of pages become the ids of existing roles', async () => {
    const { id: editors } = await create('Editor');
    const texts = ['editor', 'admin', 'user', 'Nobody has this', editors];
    const pages = [];
    for (const requiredRole of texts) {
      const { id } = await done(app, 'site/createPage', { projectId, name: 'Page', path: `/p${made++}` });
      await plantRole(id, requiredRole);
      pages.push(id);
    }
    await migrate();
    const [reserved] = await list();
    const after = await Promise.all(pages.map((id) => done(app, 'site/getPage', { id })));
    expect(after.map(({ requiredRole }) => requiredRole)).toEqual([
      editors,
      reserved?.id,
      null,
      'Nobody has this',
      editors,
    ]);
    // A caller may send the page's present text again together with another change.
    const again = { id: pages[3], name: 'Again', requiredRole: 'Nobody has this' };
    expect(await done(app, 'site/updatePage', again)).toMatchObject({ requiredRole: 'Nobody has this' });
  });

  it('that are set to another value replace the role made from the former one', async () => {
    const userId = await user({ role: 'admin' });
    await migrate();
    await done(app, 'site/updateAppUserRole', { projectId, userId, role: 'user' });
    expect((await personOf(userId))?.roleIds).toEqual([]);
    await done(app, 'site/updateAppUserRole', { projectId, userId, role: 'admin' });
    await migrate();
    expect(await rolesOf(userId)).toEqual([superAdmin]);
  });
});
