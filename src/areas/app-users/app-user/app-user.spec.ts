import { describe, expect, test } from '@jest/globals';
import { given, stateOf } from '../../../../test/support/given/given.js';
import { deleteAppUser, setAppUserPassword, updateAppUser, verifyAppUser } from './app-user.js';
import { type AppUserEvent, appUsers } from './app-user.record.js';

const at = '2030-01-01T00:00:00.000Z';
const created: AppUserEvent = {
  type: 'AppUserCreated',
  data: {
    projectId: 'proj_1',
    email: 'ada@example.com',
    name: 'Ada',
    customFields: { f1: 'Turin', f2: 3 },
    emailVerifiedAt: null,
    role: null,
    roleIds: ['role_1'],
    passwordId: 'pwd_1',
    origin: 'signUp',
  },
};
const banned: AppUserEvent = { type: 'AppUserBanned', data: { projectId: 'proj_1', passGeneration: 1 } };

describe('a change of a user', () => {
  test('records only differences', () => {
    given(appUsers, [created])
      .when(updateAppUser, { name: 'Ada', email: 'ada@example.com', isBanned: false }, at)
      .emits();
    given(appUsers, [created])
      .when(updateAppUser, { name: 'Grace', customFields: { f1: null, f3: true } }, at)
      .emits({ type: 'AppUserUpdated', data: { name: 'Grace', customFields: { f2: 3, f3: true } } });
  });

  test('of the email ends the passes, and a change by the owner counts as verified', () => {
    given(appUsers, [created])
      .when(updateAppUser, { email: 'new@example.com' }, at)
      .emits({
        type: 'AppUserEmailChanged',
        data: { email: 'new@example.com', emailVerifiedAt: at, passGeneration: 1 },
      });
    given(appUsers, [created])
      .when(updateAppUser, { email: 'new@example.com', emailVerifiedAt: null }, at)
      .emits({
        type: 'AppUserEmailChanged',
        data: { email: 'new@example.com', emailVerifiedAt: null, passGeneration: 1 },
      });
  });

  test('bans once, and ends the passes once, even if the email changes too', () => {
    given(appUsers, [created]).when(updateAppUser, { isBanned: true }, at).emits(banned);
    given(appUsers, [created, banned]).when(updateAppUser, { isBanned: true }, at).emits();
    given(appUsers, [created, banned])
      .when(updateAppUser, { isBanned: false }, at)
      .emits({ type: 'AppUserUnbanned', data: {} });
    const both = updateAppUser(stateOf(appUsers, [created]), { isBanned: true, email: 'new@example.com' }, at);
    expect(stateOf(appUsers, [created, ...both])).toMatchObject({ isBanned: true, passGeneration: 1 });
  });
});

test('an address is verified once', () => {
  const verified: AppUserEvent = { type: 'AppUserVerified', data: { projectId: 'proj_1', emailVerifiedAt: at } };
  given(appUsers, [created]).when(verifyAppUser, at).emits(verified);
  given(appUsers, [created, verified]).when(verifyAppUser, at).emits();
});

test('a new password replaces the old one, and ends the passes unless they are to be kept', () => {
  const data = { passwordId: 'pwd_2', replaces: 'pwd_1' };
  given(appUsers, [created])
    .when(setAppUserPassword, 'pwd_2', false)
    .emits({ type: 'AppUserPasswordSet', data: { ...data, passGeneration: 1 } });
  given(appUsers, [created]).when(setAppUserPassword, 'pwd_2', true).emits({ type: 'AppUserPasswordSet', data });
});

test('roles are assigned once and removed once', () => {
  const assigned: AppUserEvent = { type: 'AppUserRoleAssigned', data: { projectId: 'proj_1', roleId: 'role_2' } };
  const taken: AppUserEvent = { type: 'AppUserRoleUnassigned', data: { projectId: 'proj_1', roleId: 'role_1' } };
  expect(stateOf(appUsers, [created, assigned, assigned])).toMatchObject({ roleIds: ['role_1', 'role_2'] });
  expect(stateOf(appUsers, [created, assigned, taken, taken])).toMatchObject({ roleIds: ['role_2'] });
});

test('a deletion names the password that is destroyed with the user', () => {
  given(appUsers, [created])
    .when(deleteAppUser)
    .emits({ type: 'AppUserDeleted', data: { projectId: 'proj_1', passwordId: 'pwd_1' } });
});
