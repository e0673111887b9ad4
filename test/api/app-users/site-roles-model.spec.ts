// Engines: one process.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TestApp } from '../../support/app.js';
import { runs } from '../../support/depth.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

/** Roles and users in the model. */
interface Role {
  id: string;
  name: string;
  isLegacy: boolean;
  isReserved: boolean;
}
interface User {
  id: string;
  /** The legacy role, and whether it has been migrated to a role since it was set. */
  legacy: string | null;
  isTurned: boolean;
  /** The role that the legacy role was migrated to, as long as the user has it. */
  turnedInto: Role | undefined;
  roles: Set<Role>;
}
interface Site {
  roles: Role[];
  users: User[];
}

const reservedName = 'app-super-admin';
const name = fc.constantFrom('Editor', 'EDITOR', 'Writer', 'chief', 'App-Super-Admin');
/** Index of a role or user. It may name one that is deleted or was never created. */
const which = fc.nat({ max: 2 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('createRole' as const), name }),
  fc.record({ kind: fc.constant('renameRole' as const), role: which, name }),
  fc.record({ kind: fc.constant('deleteRole' as const), role: which }),
  fc.record({
    kind: fc.constant('createUser' as const),
    legacy: fc.constantFrom(undefined, 'user', 'admin'),
    roles: fc.array(which, { maxLength: 2 }),
  }),
  fc.record({ kind: fc.constant('deleteUser' as const), user: which }),
  fc.record({
    kind: fc.constant('setLegacy' as const),
    user: which,
    legacy: fc.constantFrom('user', 'admin', 'editor', 'Chief'),
  }),
  fc.record({ kind: fc.constant('assign' as const), user: which, role: which }),
  fc.record({ kind: fc.constant('unassign' as const), user: which, role: which }),
  fc.record({ kind: fc.constant('migrate' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const isNamed = (wanted: string) => (role: Role) => role.name.toLowerCase() === wanted.toLowerCase();
const isTaken = ({ roles }: Site, wanted: string, by?: Role) =>
  wanted.toLowerCase() === reservedName || roles.some((role) => role !== by && isNamed(wanted)(role));

/** Applies the step to the model. Returns the status that the call must have. */
function expected(site: Site, one: Step): number {
  switch (one.kind) {
    case 'createRole':
      if (isTaken(site, one.name)) return 409;
      site.roles.push({ id: '', name: one.name, isLegacy: false, isReserved: false });
      return 200;
    case 'renameRole': {
      const role = site.roles[one.role];
      if (role === undefined) return 404;
      if (role.isReserved || isTaken(site, one.name, role)) return 409;
      role.name = one.name;
      return 200;
    }
    case 'deleteRole': {
      const role = site.roles[one.role];
      if (role === undefined) return 404;
      if (role.isReserved) return 409;
      site.roles.splice(one.role, 1);
      for (const user of site.users) takes(user, role);
      return 200;
    }
    case 'createUser': {
      const roles = one.roles.map((at) => site.roles[at]);
      if (roles.includes(undefined)) return 400;
      const legacy = one.legacy ?? null;
      site.users.push({ id: '', legacy, isTurned: false, turnedInto: undefined, roles: new Set(roles as Role[]) });
      return 200;
    }
    case 'deleteUser':
      return site.users.splice(one.user, 1).length === 1 ? 200 : 404;
    case 'setLegacy': {
      const user = site.users[one.user];
      if (user === undefined) return 404;
      if (user.legacy === one.legacy) return 200;
      if (user.turnedInto !== undefined) takes(user, user.turnedInto);
      Object.assign(user, { legacy: one.legacy, isTurned: false });
      return 200;
    }
    case 'assign':
    case 'unassign': {
      const [user, role] = [site.users[one.user], site.roles[one.role]];
      if (user === undefined || role === undefined) return 404;
      if (one.kind === 'assign') user.roles.add(role);
      else takes(user, role);
      return 200;
    }
    case 'migrate':
      migrate(site);
      return 200;
  }
}

function takes(user: User, role: Role): void {
  user.roles.delete(role);
  if (user.turnedInto === role) user.turnedInto = undefined;
}

function migrate(site: Site): void {
  const made = (called: string, isReserved: boolean) => {
    const found = site.roles.find(isNamed(called));
    if (found !== undefined) return found;
    const role = { id: '', name: called, isLegacy: !isReserved, isReserved };
    site.roles.push(role);
    return role;
  };
  const superAdmin = made(reservedName, true);
  for (const user of site.users) {
    if (user.isTurned || user.legacy === null || user.legacy === 'user') continue;
    const role = user.legacy === 'admin' ? superAdmin : made(user.legacy, false);
    user.roles.add(role);
    Object.assign(user, { isTurned: true, turnedInto: role });
  }
}

let made = 0;
const bodies = (projectId: string, site: Site, one: Step): readonly [operation: string, body: object] => {
  const roleAt = (at: number) => site.roles[at]?.id ?? 'role_none';
  const userAt = (at: number) => site.users[at]?.id ?? 'usr_none';
  switch (one.kind) {
    case 'createRole':
      return ['createProjectRole', { projectId, name: one.name }];
    case 'renameRole':
      return ['updateProjectRole', { roleId: roleAt(one.role), name: one.name }];
    case 'deleteRole':
      return ['deleteProjectRole', { roleId: roleAt(one.role) }];
    case 'createUser': {
      const who = { projectId, email: `user-${made++}@example.com`, password: 'long enough' };
      return ['createAppUser', { ...who, role: one.legacy, roleIds: one.roles.map(roleAt) }];
    }
    case 'deleteUser':
      return ['deleteAppUser', { projectId, userId: userAt(one.user) }];
    case 'setLegacy':
      return ['updateAppUser', { projectId, userId: userAt(one.user), role: one.legacy }];
    case 'assign':
      return ['assignRoleToAppUser', { userId: userAt(one.user), roleId: roleAt(one.role) }];
    case 'unassign':
      return ['unassignRoleFromAppUser', { userId: userAt(one.user), roleId: roleAt(one.role) }];
    case 'migrate':
      return ['migrateProjectToRoleSystem', { projectId }];
  }
};

it('roles of a site and their users equal a simple list model after any calls', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
      const { id: projectId } = await done(app, 'site/createProject', { name: 'Model' });
      const site: Site = { roles: [], users: [] };
      for (const one of [...steps, { kind: 'migrate' } as const]) {
        const [operation, body] = bodies(projectId, site, one);
        const { status, body: answer } = await app.call(`site/${operation}`, body);
        expect([one, status]).toEqual([one, expected(site, one)]);
        if (one.kind === 'createRole' && status === 200) site.roles = known(site.roles, answer.id);
        if (one.kind === 'createUser' && status === 200) site.users = known(site.users, answer.id);
        if (one.kind === 'migrate') await named(projectId, site);
      }
      for (const { id, roles } of site.users) {
        const shown = await done(app, 'site/getAppUserRoles', { userId: id });
        expect(idsOf(shown)).toEqual(idsOf([...roles]));
      }
      await done(app, 'site/deleteProject', { id: projectId });
    }),
    { numRuns: runs(40), endOnFailure: true },
  );
});

const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id).sort();
const known = <One extends { id: string }>(all: One[], id: string) =>
  all.map((one) => (one.id === '' ? Object.assign(one, { id }) : one));

/** Compares all roles with the model, and fills in the ids of roles that were created since the last call. */
async function named(projectId: string, site: Site): Promise<void> {
  const listed: readonly (Role & { assignedUserCount: number })[] = await done(app, 'site/listProjectRoles', {
    projectId,
  });
  const shown = listed.map(({ name: called, isLegacy, isReserved, assignedUserCount }) => {
    return [called, isLegacy, isReserved, assignedUserCount];
  });
  const wanted = site.roles.map((role) => {
    const { name: called, isLegacy, isReserved } = role;
    return [called, isLegacy, isReserved, site.users.filter(({ roles }) => roles.has(role)).length];
  });
  expect(shown.sort()).toEqual(wanted.sort());
  for (const role of site.roles) role.id = listed.find(({ name: called }) => called === role.name)?.id ?? role.id;
}
