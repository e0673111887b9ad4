// Engines: one process.
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SiteUsers } from '../../../src/areas/app-users/app-user/site-users.api.js';
import { UserPasswords } from '../../../src/areas/app-users/app-user/user-passwords.api.js';
import { Vault } from '../../../src/ports/vault.port.js';
import { allOf } from '../../support/all-of.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { Fate } from '../../support/given/mortal-vault.js';
import { done } from '../../support/people.js';
import { visitorsOf } from '../../support/sites/site-visitors.js';
import { entriesHolding, filesHolding } from '../../support/stores/kept-texts.js';
import { cli, embedded, Folders } from '../../support/stores/log-transfer.js';

const folders = new Folders();
const apps: TestApp[] = [];
let app: TestApp;
let fate: Fate;
let workspaceId: string;
let projectId: string;

/** Part of every personal value below. */
const secret = 'Zyxomma';
const person = {
  email: `${secret}@example.com`,
  name: `${secret} Petiolatum`,
  password: `${secret} flies at dusk`,
  customFields: { city: `${secret}ville` },
};
const authCustomFields = [{ name: 'city', type: 'text' }];

beforeEach(async () => {
  fate = new Fate();
  app = await begun(folders.make());
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
  projectId = (await done(app, 'site/createProject', { name: 'Users' })).id;
  await done(app, 'site/updateProjectAuth', { id: projectId, authCustomFields });
}, 30_000);
afterEach(async () => {
  for (const one of apps.splice(0)) await one.close();
  folders.remove();
}, 30_000);

async function begun(dataDir: string, ownerKey?: string): Promise<TestApp> {
  const given = ownerKey === undefined ? {} : { ownerKey };
  const options = { dataDir, environment: embedded, replacements: [fate.provider], several: false, ...given };
  const started = await startApp(options);
  apps.push(started);
  return started;
}

async function restarted(): Promise<void> {
  const { dataDir, ownerKey } = app;
  await app.app.close();
  fate.revive();
  app = await begun(dataDir, ownerKey);
}

const on = (dataDir = app.dataDir) => ({ ...embedded, DATA_DIR: dataDir });
const site = (operation: string, body: object = {}) => done(app, `site/${operation}`, { projectId, ...body });
const create = (): Promise<{ readonly id: string }> => site('createAppUser', person);
const filesWith = (folder: string) => filesHolding(folder, secret);
const isPassword = ({ name }: { readonly name: string }) => name.startsWith('app-user-password/');
const passwords = async () =>
  (await allOf(app.app.get(Vault).sealedEntries())).filter(isPassword).map(({ name }) => name);
const keyOf = async (id: string) => (await app.app.get(Vault).open(`personal/${workspaceId}/appUser.${id}`))?.length;

const forgotten = async (id: string) => {
  await eventually(
    () => keyOf(id),
    (length) => length === 0,
  );
  await eventually(passwords, (names) => names.length === 0);
};

const historyOf = async (id: string) =>
  (await done(app, 'audit/getHistory', { kind: 'appUser', id })).events as readonly {
    readonly type: string;
    readonly data: { readonly email?: unknown; readonly name?: unknown; readonly customFields?: unknown };
  }[];

describe("the personal data of a site's user", () => {
  it('is in no file in the clear, while the user exists', async () => {
    const { id: userId } = await create();
    await site('updateAppUser', { userId, name: `${secret} again`, email: `new-${secret}@example.com` });
    await site('getAppUsers');
    const told = (await historyOf(userId)).map(({ data }) =>
      JSON.stringify(data).toLowerCase().includes(secret.toLowerCase()),
    );
    expect([told.length > 1, new Set(told)]).toEqual([true, new Set([true])]);
    expect(filesWith(app.dataDir)).toEqual([]);
    // Not even the hash may be there, because it could be attacked without the vault.
    expect(filesHolding(app.dataDir, '$scrypt$')).toEqual([]);
  }, 60_000);

  it('is gone after the deletion: from the history, and from a later backup and export', async () => {
    const { id: userId } = await create();
    const { id: stays } = await site('createAppUser', { ...person, email: 'b@example.com', customFields: {} });
    await site('updateAppUser', { userId, name: `${secret} again` });
    await site('resetAppUserPassword', { userId, newPassword: `${secret} again` });
    await site('deleteAppUser', { userId });
    await eventually(
      () => keyOf(userId),
      (length) => length === 0,
    );
    await eventually(passwords, (names) => names.length === 1);
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
    await restarted();
    const rebuilt = await cli(on(), 'projections:verify');
    expect(rebuilt.out.filter((line) => !line.includes(': equal at'))).toEqual([]);
    const { users } = await site('getAppUsers');
    expect(users).toMatchObject([{ id: stays, email: 'b@example.com', name: person.name }]);
    expect(await keyOf(userId)).toBe(0);
  }, 120_000);

  it('is not in stored answers for repeated calls, which get nothing of a deleted user', async () => {
    const asked = (operation: string, body: object) =>
      app.call(`site/${operation}`, { projectId, ...body }, undefined, { 'idempotency-key': operation });
    const first = await asked('createAppUser', person);
    const { id: userId } = first.body;
    expect(first.body).toMatchObject({ email: person.email.toLowerCase(), name: person.name });
    const second = await asked('updateAppUser', { userId, name: `${secret} again` });
    expect(second.body).toMatchObject({ name: `${secret} again` });
    expect((await asked('createAppUser', person)).body).toEqual(first.body);
    expect((await asked('updateAppUser', { userId, name: `${secret} again` })).body).toEqual(second.body);
    expect(await entriesHolding(app, secret)).toEqual([]);
    await site('deleteAppUser', { userId });
    await forgotten(userId);
    const again = (await asked('updateAppUser', { userId, name: `${secret} again` })).body;
    expect(again).toMatchObject({ id: userId, email: 'erased', name: 'A former user', customFields: null });
  }, 60_000);

  it('is gone from everything else that the user did and received', async () => {
    await done(app, 'site/updateProjectAuth', { id: projectId, authEnabled: true, authRequireEmail: true });
    const visitors = visitorsOf(app, projectId);
    const { status } = await visitors.post('auth/signup', person);
    const { users } = await site('getAppUsers');
    const userId = users[0].id;
    expect([status, users[0].name]).toEqual([200, person.name]);
    // No mailbox is set up, so the mail is stored with its link.
    const { mails } = await eventually(
      () => site('listOutgoingMail'),
      ({ mails: kept }) => kept.length === 1,
    );
    const token = new URL(mails[0].link).searchParams.get('token');
    const verified = await visitors.post('auth/verify-email', { token });
    expect(verified.status).toBe(200);
    const { email, password } = person;
    const { session } = (await visitors.post('auth/login', { email, password })).body;
    await visitors.post('auth/profile', { name: `${secret} anew` }, session.token);
    await visitors.post('auth/forgot-password', { email });
    const { id: roleId } = await site('createProjectRole', { name: 'Guide' });
    await done(app, 'site/assignRoleToAppUser', { userId, roleId });
    await site('grantEntitlement', { appUserId: userId, key: 'member', source: { note: 'by hand' } });
    await site('createOffer', { key: 'gold', name: 'Gold', amount: 0, currency: 'usd', accessTerm: 'lifetime' });
    await visitors.post('payments/checkout', { offerKey: 'gold' }, session.token);
    expect((await visitors.get('auth/me', session.token)).body.user.name).toBe(`${secret} anew`);
    await site('deleteAppUser', { userId });
    expect((await visitors.get('auth/me', session.token)).body.user).toBeNull();
    await forgotten(userId);
    // Emails are stored in lower case.
    for (const text of [secret, secret.toLowerCase()]) {
      await eventually(
        () => entriesHolding(app, text),
        (names) => names.length === 0,
      );
    }
    expect((await visitors.post('auth/login', { email, password })).status).toBe(401);
    expect(filesWith(app.dataDir)).toEqual([]);
    expect((await site('listOutgoingMail')).mails).toEqual([]);
  }, 60_000);

  it('is gone even if the process dies before the key is destroyed', async () => {
    const { id: userId } = await create();
    fate.death = { at: 'seal', when: 'before', beginning: 'personal/' };
    await app.call('site/deleteAppUser', { projectId, userId });
    await eventually(
      async () => fate.died,
      (died) => died,
    );
    await restarted();
    await forgotten(userId);
    expect((await site('getAppUsers')).total).toBe(0);
  }, 60_000);

  it('is gone with the project', async () => {
    const { id } = await create();
    await done(app, 'site/deleteProject', { id: projectId });
    await forgotten(id);
    expect(await app.app.get(SiteUsers, { strict: false }).find(workspaceId, id)).toBeUndefined();
  }, 60_000);
});

describe('the hash of a password', () => {
  it('is one vault entry per user, also after a refused or repeated call', async () => {
    const { id: userId } = await create();
    expect((await app.call('site/createAppUser', { projectId, ...person, customFields: {} })).status).toBe(409);
    const reset = (key: string, newPassword: string) =>
      app.call('site/resetAppUserPassword', { projectId, userId, newPassword }, undefined, { 'idempotency-key': key });
    // The third call repeats the idempotency key of the first, so it changes nothing.
    for (const [key, chosen] of [
      ['1', 'first one'],
      ['2', 'second one'],
      ['1', 'first one'],
    ] as const) {
      expect((await reset(key, chosen)).status).toBe(200);
    }
    const found = await app.app.get(SiteUsers, { strict: false }).find(workspaceId, userId);
    await eventually(passwords, (names) => names.length === 1);
    expect(await passwords()).toEqual([`app-user-password/${workspaceId}/${found?.passwordId}`]);
  });

  it('is retained even if the process dies while its entry is a draft', async () => {
    fate.death = { at: 'keep', when: 'before', beginning: 'app-user-password/' };
    expect((await app.call('site/createAppUser', { projectId, ...person })).status).toBe(503);
    await restarted();
    const kept = await eventually(
      async () => (await allOf(app.app.get(Vault).sealedEntries())).filter(isPassword),
      (found) => found.length === 1 && found[0]?.expiresAt === undefined,
    );
    const { users } = await site('getAppUsers');
    const user = await app.app.get(SiteUsers, { strict: false }).find(workspaceId, users[0].id);
    expect(kept[0]?.name).toBe(`app-user-password/${workspaceId}/${user?.passwordId}`);
    expect(
      await app.app.get(UserPasswords, { strict: false }).matches({ workspaceId, projectId }, user, person.password),
    ).toBe(true);
  }, 60_000);

  it('that was replaced is destroyed even if the process dies before', async () => {
    const { id: userId } = await create();
    fate.death = { at: 'destroy', when: 'before', beginning: 'app-user-password/' };
    await app.call('site/resetAppUserPassword', { projectId, userId, newPassword: 'another one' });
    await eventually(
      async () => fate.died,
      (died) => died,
    );
    await restarted();
    await eventually(passwords, (names) => names.length === 1);
    const users = app.app.get(SiteUsers, { strict: false });
    const matches = async (tried: string) =>
      app.app
        .get(UserPasswords, { strict: false })
        .matches({ workspaceId, projectId }, await users.find(workspaceId, userId), tried);
    expect([await matches('another one'), await matches(person.password)]).toEqual([true, false]);
  }, 60_000);
});
