import { isDeepStrictEqual } from 'node:util';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { showsFields } from '../../../engine/records/record-views.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { isPersons } from '../../../kernel/callers/caller.js';
import { type FieldSpecs, shapeOf } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import { userEmail } from '../../../kernel/mail/user-email.js';
import { refuse } from '../app-users.refusals.js';
import { type AppUser, type AppUserEvent, appUsers } from './app-user.record.js';
import { AppUserCreation, newAppUserFields } from './app-user-creation.js';
import { customFieldsField, passwordField, userEmailField } from './app-user-fields.api.js';
import { SiteUsers } from './site-users.api.js';

const shownFields = {
  id: { type: 'string' },
  email: { type: 'string' },
  name: { type: 'string' },
  role: { type: 'string', nullable: true, description: 'Legacy role. Access depends on roleIds.' },
  roleIds: { type: 'array', items: 'string' },
  isBanned: { type: 'boolean' },
  customFields: {
    type: 'object',
    nullable: true,
    description: "Values by field id. null if the user's personal data has been erased.",
  },
} as const satisfies FieldSpecs;

/** Handlers return personal data sealed (encrypted); the pipeline decrypts it when it sends the answer. */
const AppUserRecord = shapeOf('AppUserRecord', shownFields);
showsFields(appUsers, AppUserRecord);

const CreatedAppUser = shapeOf('CreatedAppUser', {
  ...shownFields,
  welcomeEmail: {
    type: 'string',
    enum: ['sending', 'needsMailbox'],
    optional: true,
    description:
      'Only present if sendWelcomeEmail was true. `needsMailbox`: there is no mailbox to send the welcome email through.',
  },
});

const users = {
  source: 'Sites API, App users and roles',
  group: 'app-users',
  permission: 'site.users',
  within: 'project',
} as const;
/**
 * AI agents can have these operations as tools. A function may call them only if a person has granted it the power
 * `users`.
 */
const forAgents = { ...users, tools: 'agents' } as const;
const oneUser = { projectId: idField, userId: idField };

export const appUserOperations = [
  command('site/createAppUser', {
    ...users,
    summary: 'Creates a user of a site. The email address is treated as verified.',
    tools: 'never',
    outside: ['sends mail'],
    answers: { record: CreatedAppUser },
    input: newAppUserFields,
    inject: [AppUserCreation],
    handle: (input, call, creation) => creation.create(input, call),
  }),
  query('site/getAppUsers', {
    ...forAgents,
    summary: 'Lists the users of a site, oldest first.',
    answers: {
      fields: {
        users: { type: 'array', items: () => AppUserRecord },
        total: { type: 'integer', description: 'Total number of users of the site.' },
      },
    },
    input: {
      projectId: idField,
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 },
      offset: { type: 'integer', minimum: 0, maximum: 1_000_000_000, optional: true, default: 0 },
    },
    inject: [Reads],
    handle: async ({ projectId, limit = 50, offset = 0 }, { workspaceId }, reads) => {
      const { name } = appUsers.collection;
      const [found, total] = await Promise.all([
        reads.find<AppUser>(workspaceId, name, {
          where: { projectId },
          sort: [['createdAt', 'asc']],
          limit,
          ...(offset === 0 ? {} : { skip: offset }),
        }),
        reads.count(workspaceId, name, { projectId }),
      ]);
      return { users: found, total };
    },
  }),
  query('site/getAppUser', {
    ...forAgents,
    summary: 'Returns one user of a site.',
    answers: { record: AppUserRecord },
    input: oneUser,
    inject: [Reads],
    handle: async ({ projectId, userId }, call, reads) => {
      const user = await reads.one(call, appUsers, userId);
      return user.projectId === projectId ? user : appUsers.missing();
    },
  }),
  command('site/updateAppUser', {
    ...forAgents,
    summary: 'Updates a user of a site. A ban or a new email address ends all sessions of the user at once.',
    takesAway: takesAwayWhen<AppUser, AppUserEvent>(
      ({ type }) => type === 'AppUserBanned' || type === 'AppUserRoleUnassigned',
    ),
    answers: { record: AppUserRecord },
    input: {
      ...oneUser,
      name: { ...nameField, optional: true },
      email: {
        ...userEmailField,
        optional: true,
        description:
          "Can only be set by a person or a person's AI client. The new address is treated as verified. Unique in the project.",
      },
      role: { ...nameField, optional: true, description: 'Legacy role. Access depends on roleIds.' },
      isBanned: { type: 'boolean', optional: true },
      customFields: {
        ...customFieldsField,
        description: 'Values by field id or field name. Merged into the existing values; null removes a value.',
      },
      profileData: { ...customFieldsField, description: 'Alias of customFields.' },
    },
    inject: [SiteUsers],
    handle: async ({ projectId, userId, profileData, ...sent }, call, all) => {
      const { email, customFields = profileData } = sent;
      if (email !== undefined && !isPersons(call.actor.kind)) refuse('user-email-by-person');
      if (profileData !== undefined && !isDeepStrictEqual(customFields, profileData)) refuse('profile-data-differs');
      const changes = { ...sent, customFields, email: email && userEmail(email) };
      const path = sent.customFields === undefined ? 'profileData' : 'customFields';
      return all.updateSealed(call, projectId, userId, changes, path);
    },
  }),
  command('site/updateAppUserRole', {
    ...forAgents,
    summary: 'Sets the legacy role of a user. To assign roles that access rules refer to, use assignRoleToAppUser.',
    // A legacy role that was migrated takes its role along when it changes.
    takesAway: takesAwayWhen<AppUser, AppUserEvent>(({ type }) => type === 'AppUserRoleUnassigned'),
    answers: { record: AppUserRecord },
    input: { ...oneUser, role: { type: 'string', enum: ['user', 'admin'] } },
    inject: [SiteUsers],
    handle: ({ projectId, userId, role }, call, all) => all.updateSealed(call, projectId, userId, { role }),
  }),
  command('site/resetAppUserPassword', {
    ...users,
    summary: 'Sets a new password for a user and ends all sessions of the user.',
    // Other callers and tools may not set a password, because they could then sign in as the user.
    callers: ['person', 'connection'],
    tools: 'never',
    // Replacing a password destroys the hash of the old one, so the call is treated as a deletion.
    takesAway: takesAwayWhen<AppUser, AppUserEvent>(
      ({ type, data }) => type === 'AppUserPasswordSet' && data.replaces !== null,
    ),
    outside: ['destroys secrets'],
    answers: success,
    input: { ...oneUser, newPassword: passwordField },
    inject: [SiteUsers],
    handle: async ({ projectId, userId, newPassword }, call, all) => {
      await all.setPassword(call, projectId, userId, newPassword);
      return { success: true };
    },
  }),
  command('site/deleteAppUser', {
    ...forAgents,
    summary: 'Permanently deletes a user. Ends all sessions and erases all personal data of the user.',
    takesAway: true,
    outside: ['destroys secrets'],
    answers: success,
    input: oneUser,
    inject: [SiteUsers],
    handle: async ({ projectId, userId }, call, all) => {
      await all.delete(call, userId, projectId);
      return { success: true };
    },
  }),
];
