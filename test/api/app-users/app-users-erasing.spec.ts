// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SiteUsers } from '../../../src/areas/app-users/app-user/site-users.api.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { PersonalUsers, person, secret } from '../../support/given/personal-user.js';
import { done, inOtherWorkspace } from '../../support/people.js';
import { visitorsOf } from '../../support/sites/site-visitors.js';
import { entriesHolding, filesHolding } from '../../support/stores/kept-texts.js';
import { embedded } from '../../support/stores/log-transfer.js';

let service: TestApp;
let app: TestApp;
let scene: PersonalUsers;

beforeAll(async () => {
  service = await startApp({ environment: embedded, several: false });
}, 30_000);
beforeEach(async () => {
  ({ own: app } = await inOtherWorkspace(service));
  scene = await PersonalUsers.in(app);
});
afterAll(() => service.close(), 30_000);

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

  it('is not in stored answers for repeated calls, which get nothing of a deleted user', async () => {
    const asked = (operation: string, body: object) =>
      app.call(`site/${operation}`, { projectId: scene.projectId, ...body }, undefined, {
        'idempotency-key': operation,
      });
    const first = await asked('createAppUser', person);
    const { id: userId } = first.body;
    expect(first.body).toMatchObject({ email: person.email.toLowerCase(), name: person.name });
    const second = await asked('updateAppUser', { userId, name: `${secret} again` });
    expect(second.body).toMatchObject({ name: `${secret} again` });
    expect((await asked('createAppUser', person)).body).toEqual(first.body);
    expect((await asked('updateAppUser', { userId, name: `${secret} again` })).body).toEqual(second.body);
    expect(await entriesHolding(app, secret)).toEqual([]);
    await site('deleteAppUser', { userId });
    await scene.forgotten(app, userId);
    const again = (await asked('updateAppUser', { userId, name: `${secret} again` })).body;
    expect(again).toMatchObject({ id: userId, email: 'erased', name: 'A former user', customFields: null });
  }, 60_000);

  it('is gone from everything else that the user did and received', async () => {
    await done(app, 'site/updateProjectAuth', { id: scene.projectId, authEnabled: true, authRequireEmail: true });
    const visitors = visitorsOf(app, scene.projectId);
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
    await scene.forgotten(app, userId);
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

  it('is gone with the project', async () => {
    const { id } = await create();
    await done(app, 'site/deleteProject', { id: scene.projectId });
    await scene.forgotten(app, id);
    expect(await app.app.get(SiteUsers, { strict: false }).find(scene.workspaceId, id)).toBeUndefined();
  }, 60_000);
});

it('the hash of a password is one vault entry per user, also after a refused or repeated call', async () => {
  const { id: userId } = await create();
  expect(
    (await app.call('site/createAppUser', { projectId: scene.projectId, ...person, customFields: {} })).status,
  ).toBe(409);
  const reset = (key: string, newPassword: string) =>
    app.call('site/resetAppUserPassword', { projectId: scene.projectId, userId, newPassword }, undefined, {
      'idempotency-key': key,
    });
  // The third call repeats the idempotency key of the first, so it changes nothing.
  for (const [key, chosen] of [
    ['1', 'first one'],
    ['2', 'second one'],
    ['1', 'first one'],
  ] as const) {
    expect((await reset(key, chosen)).status).toBe(200);
  }
  const found = await app.app.get(SiteUsers, { strict: false }).find(scene.workspaceId, userId);
  await eventually(
    () => scene.passwords(app),
    (entries) => entries.length === 1,
  );
  expect((await scene.passwords(app)).map(({ name }) => name)).toEqual([
    `app-user-password/${scene.workspaceId}/${found?.passwordId}`,
  ]);
});
