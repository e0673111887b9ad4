// Engines: one process.
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SiteUsers } from '../../../src/areas/app-users/app-user/site-users.api.js';
import { UserPasswords } from '../../../src/areas/app-users/app-user/user-passwords.api.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { MortalApps } from '../../support/given/mortal-apps.js';
import { PersonalUsers, person, secret } from '../../support/given/personal-user.js';
import { done } from '../../support/people.js';
import { filesHolding } from '../../support/stores/kept-texts.js';
import { cli, embedded, Folders } from '../../support/stores/log-transfer.js';

const folders = new Folders();
let app: TestApp;
let mortal: MortalApps;
let scene: PersonalUsers;

beforeEach(async () => {
  mortal = new MortalApps();
  app = await mortal.begin(folders.make());
  scene = await PersonalUsers.in(app);
}, 30_000);
afterEach(async () => {
  await mortal?.close();
  folders.remove();
}, 30_000);

const on = (dataDir = app.dataDir) => ({ ...embedded, DATA_DIR: dataDir });
const site = (operation: string, body: object = {}) =>
  done(app, `site/${operation}`, { projectId: scene.projectId, ...body });
const create = (): Promise<{ readonly id: string }> => site('createAppUser', person);
const filesWith = (folder: string) => filesHolding(folder, secret);

const historyOf = async (id: string) =>
  (await done(app, 'audit/getHistory', { kind: 'appUser', id })).events as readonly {
    readonly type: string;
    readonly data: { readonly email?: unknown; readonly name?: unknown; readonly customFields?: unknown };
  }[];

describe("the personal data of a site's user", () => {
  it('is gone after the deletion: from the history, and from a later backup and export', async () => {
    const { id: userId } = await create();
    const { id: stays } = await site('createAppUser', { ...person, email: 'b@example.com', customFields: {} });
    await site('updateAppUser', { userId, name: `${secret} again` });
    await site('resetAppUserPassword', { userId, newPassword: `${secret} again` });
    await site('deleteAppUser', { userId });
    await scene.forgotten(app, userId, 1);
    expect((await historyOf(userId)).map(({ type, data }) => [type, data.email, data.name, data.customFields])).toEqual(
      [
        ['AppUserCreated', 'erased', 'A former user', null],
        ['AppUserUpdated', undefined, 'A former user', undefined],
        ['AppUserPasswordSet', undefined, undefined, undefined],
        ['AppUserDeleted', undefined, undefined, undefined],
      ],
    );
    const kept = join(folders.make(), 'backup');
    expect((await cli(on(), 'backup', kept)).code).toBe(0);
    const exported = join(folders.make(), 'log.ndjson');
    expect((await cli(on(), 'log:export', exported)).code).toBe(0);
    for (const folder of [app.dataDir, kept, join(exported, '..')]) expect(filesWith(folder)).toEqual([]);
    app = await mortal.restarted(app);
    const rebuilt = await cli(on(), 'projections:verify');
    expect(rebuilt.out.filter((line) => !line.includes(': equal at'))).toEqual([]);
    const { users } = await site('getAppUsers');
    expect(users).toMatchObject([{ id: stays, email: 'b@example.com', name: person.name }]);
    expect(await scene.keyLength(app, userId)).toBe(0);
  }, 120_000);

  it('is gone even if the process dies before the key is destroyed', async () => {
    const { id: userId } = await create();
    mortal.fate.death = { at: 'seal', when: 'before', beginning: 'personal/' };
    await app.call('site/deleteAppUser', { projectId: scene.projectId, userId });
    await eventually(
      async () => mortal.fate.died,
      (died) => died,
    );
    app = await mortal.restarted(app);
    await scene.forgotten(app, userId);
    expect((await site('getAppUsers')).total).toBe(0);
  }, 60_000);
});

describe('the hash of a password', () => {
  it('is retained even if the process dies while its entry is a draft', async () => {
    mortal.fate.death = { at: 'keep', when: 'before', beginning: 'app-user-password/' };
    expect((await app.call('site/createAppUser', { projectId: scene.projectId, ...person })).status).toBe(503);
    app = await mortal.restarted(app);
    const kept = await eventually(
      () => scene.passwords(app),
      (found) => found.length === 1 && found[0]?.expiresAt === undefined,
    );
    const { users } = await site('getAppUsers');
    const user = await app.app.get(SiteUsers, { strict: false }).find(scene.workspaceId, users[0].id);
    expect(kept[0]?.name).toBe(`app-user-password/${scene.workspaceId}/${user?.passwordId}`);
    expect(await app.app.get(UserPasswords, { strict: false }).matches(scene, user, person.password)).toBe(true);
  }, 60_000);

  it('that was replaced is destroyed even if the process dies before', async () => {
    const { id: userId } = await create();
    mortal.fate.death = { at: 'destroy', when: 'before', beginning: 'app-user-password/' };
    await app.call('site/resetAppUserPassword', { projectId: scene.projectId, userId, newPassword: 'another one' });
    await eventually(
      async () => mortal.fate.died,
      (died) => died,
    );
    app = await mortal.restarted(app);
    await eventually(
      () => scene.passwords(app),
      (entries) => entries.length === 1,
    );
    const users = app.app.get(SiteUsers, { strict: false });
    const matches = async (tried: string) =>
      app.app.get(UserPasswords, { strict: false }).matches(scene, await users.find(scene.workspaceId, userId), tried);
    expect([await matches('another one'), await matches(person.password)]).toEqual([true, false]);
  }, 60_000);
});
