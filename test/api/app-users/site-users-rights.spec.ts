import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allOperations } from '../../../src/engine/operation/operation.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
const keys: Record<'viewer' | 'readOnly' | 'agent' | 'stranger' | 'editor', string> = {} as never;
let projectId: string;
let roleId: string;
let userId: string;
let made = 0;
beforeAll(async () => {
  app = await sharedApp();
  keys.viewer = (await person(app, 'viewer')).key;
  keys.editor = (await person(app, 'editor')).key;
  keys.readOnly = await keyOf(app, { kind: 'connection', readOnly: true });
  keys.agent = await keyOf(app, { kind: 'agent', agentId: (await agentWith(app)).id });
  keys.stranger = (await otherWorkspace(app)).ownerKey;
});
afterAll(() => app.close());

/** Creates a site with a role and a user. Tests that change nothing share one. */
async function makeSite() {
  projectId = (await done(app, 'site/createProject', { name: `Site ${made++}` })).id;
  roleId = (await done(app, 'site/createProjectRole', { projectId, name: 'Editors' })).id;
  userId = (await create()).id;
}

const create = () =>
  done(app, 'site/createAppUser', { projectId, email: `user-${made++}@example.com`, password: 'long enough' });

/** A valid body for each operation on users and roles. */
const bodies: Readonly<Record<string, () => object>> = {
  'site/assignRoleToAppUser': () => ({ userId, roleId }),
  'site/createAppUser': () => ({ projectId, email: 'new@example.com', password: 'long enough' }),
  'site/createProjectRole': () => ({ projectId, name: 'Others' }),
  'site/deleteAppUser': () => ({ projectId, userId }),
  'site/deleteProjectRole': () => ({ roleId }),
  'site/getAppUser': () => ({ projectId, userId }),
  'site/getAppUserRoles': () => ({ userId }),
  'site/getAppUsers': () => ({ projectId }),
  'site/listOutgoingMail': () => ({ projectId }),
  'site/listProjectRoles': () => ({ projectId }),
  'site/migrateProjectToRoleSystem': () => ({ projectId }),
  'site/resetAppUserPassword': () => ({ projectId, userId, newPassword: 'another one' }),
  'site/resetSitePasses': () => ({ id: projectId }),
  'site/unassignRoleFromAppUser': () => ({ userId, roleId }),
  'site/updateAppUser': () => ({ projectId, userId, name: 'Changed' }),
  'site/updateAppUserRole': () => ({ projectId, userId, role: 'admin' }),
  'site/updateProjectRole': () => ({ roleId, name: 'Changed' }),
};
const operations = allOperations().filter(({ group }) => group === 'app-users' || group === 'roles');
const lines = operations.map(({ name, effect, callers }) => [name, effect, callers] as const);
const refused = async (operation: string, key: string) => {
  const { status, body } = await app.call(operation, bodies[operation]?.() ?? {}, key);
  return [status, body.code];
};
const recorded = async () => {
  const log = app.app.get(EventStore, { strict: false });
  const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
  const streams = [`appUser-${workspaceId}.${userId}`, `siteRole-${workspaceId}.${roleId}`];
  return Promise.all(streams.map(async (stream) => (await log.readStream(stream)).length));
};

describe('users of sites and their roles', () => {
  beforeAll(makeSite);

  it('have these operations', () => {
    const known = Object.keys(bodies).filter((name) => lines.some(([one]) => one === name));
    expect(lines.map(([name]) => name)).toEqual(known);
  });

  it.each(lines)('%s is refused to Viewers, who learn and change nothing', async (operation, effect) => {
    const before = await recorded();
    const code = effect === 'command' ? 'viewer-refused' : 'permission-missing';
    expect(await refused(operation, keys.viewer)).toEqual([403, code]);
    expect(await recorded()).toEqual(before);
  });

  it.each(lines)('%s (%s) is refused to a read-only key if it is a command', async (operation, effect) => {
    const before = await recorded();
    const expected = effect === 'command' ? [403, 'read-only-key'] : [200, undefined];
    expect(await refused(operation, keys.readOnly)).toEqual(expected);
    expect(await recorded()).toEqual(before);
  });

  it.each(lines)("%s is refused to an agent without the site's permission", async (operation, _, callers) => {
    await done(app, 'site/updateAiPermissions', { projectId, aiPermissions: { 'pages:*': true } });
    const before = await recorded();
    expect(await refused(operation, keys.agent)).toEqual([
      403,
      callers === undefined ? 'ai-permission-missing' : 'caller-not-allowed',
    ]);
    expect(await recorded()).toEqual(before);
  });

  it.each(lines)('%s of another workspace is 404', async (operation) => {
    const before = await recorded();
    const [status, code] = await refused(operation, keys.stranger);
    expect([status, String(code).replace(/^(?:site|role|app-user)-/, '')]).toEqual([404, 'not-found']);
    expect(await recorded()).toEqual(before);
  });

  it('are open to an agent with all permissions of the site, except for passwords', async () => {
    await makeSite();
    for (const operation of ['site/getAppUsers', 'site/assignRoleToAppUser', 'site/listProjectRoles']) {
      expect([operation, ...(await refused(operation, keys.agent))]).toEqual([operation, 200, undefined]);
    }
  });
});

describe('the history', () => {
  beforeEach(makeSite);
  const history = (kind: string, id: string, key: string) => app.call('audit/getHistory', { kind, id }, key);

  it('of a user requires the right to see personal data, and that of a role is open to every member', async () => {
    await done(app, 'site/assignRoleToAppUser', { userId, roleId });
    expect((await history('appUser', userId, keys.editor)).status).toBe(200);
    expect((await history('appUser', userId, keys.viewer)).status).not.toBe(200);
    expect((await history('siteRole', roleId, keys.viewer)).status).toBe(200);
    const { events } = (await app.call('audit/listEvents', { id: userId }, keys.viewer)).body;
    expect(events).toEqual([]);
    const seen = (await app.call('audit/listEvents', { id: userId }, keys.editor)).body.events;
    expect(seen.map(({ type }: { type: string }) => type).sort()).toEqual(['AppUserCreated', 'AppUserRoleAssigned']);
  });

  it('of a role names no users', async () => {
    const { email } = await done(app, 'site/getAppUser', { projectId, userId });
    await done(app, 'site/assignRoleToAppUser', { userId, roleId });
    const { body } = await history('siteRole', roleId, keys.viewer);
    expect(JSON.stringify(body)).not.toContain(email);
    expect(JSON.stringify(body)).not.toContain(userId);
  });
});
