import { Operation, success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { Field, type FieldSpec } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { userEmail } from '../../../kernel/mail/user-email.js';
import { mustBe } from '../../../kernel/text/must-be.js';
import { wrongPassword } from '../../../kernel/text/password.js';
import type { AppUser, AppUserEvent } from './app-user.record.js';

const source = 'Sites API, App users and roles';
const group = 'app-users';

function wrongUserEmail(value: unknown): string | undefined {
  if (typeof value !== 'string') return mustBe('a string', value);
  return userEmail(value) === undefined ? 'must be an email address such as ada@example.com' : undefined;
}

export const userEmailField = {
  type: 'any',
  schema: { type: 'string', format: 'email', maxLength: 254 },
  wrong: wrongUserEmail,
  description: 'Kept in lower case, its domain in ASCII. Unique in the project.',
} as const satisfies FieldSpec;

export const passwordField = {
  password: true,
  type: 'any',
  schema: { type: 'string', minLength: 8, maxLength: 1_000 },
  must: 'a text of 8 to 1,000 characters',
  wrong: wrongPassword,
  description: 'Only its hash is kept, and answered by no operation.',
} as const satisfies FieldSpec;

const customFieldsField = {
  type: 'object',
  maxBytes: 100_000,
  optional: true,
  description: 'By field id or name; null takes a value away.',
} as const satisfies FieldSpec;

/** An app user as operations show it: nothing of how the user signs in. */
export class AppUserRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) email!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', nullable: true, description: 'Legacy; roleIds count.' }) role!: string | null;
  @Field({ type: 'array', items: 'string' }) roleIds!: readonly string[];
  @Field({ type: 'boolean' }) isBanned!: boolean;
  @Field({ type: 'object', nullable: true, description: 'By field id; null: of a user who was erased meanwhile.' })
  customFields!: JsonObject | null;
}

export class CreatedAppUser extends AppUserRecord {
  @Field({
    type: 'string',
    enum: ['sending', 'needsMailbox'],
    optional: true,
    description: 'Where sendWelcomeEmail was sent true: whether there is a mailbox to send it by.',
  })
  welcomeEmail?: string;
}

@Operation('site/createAppUser', {
  summary: 'Creates a user of a site, whose email counts as verified.',
  source,
  group,
  effect: 'command',
  permission: 'site.users',
  within: 'project',
  tools: 'never',
  outside: ['sends mail'],
  answers: { record: CreatedAppUser },
})
export class CreateAppUser {
  @Field(idField) projectId!: string;
  @Field(userEmailField) email!: string;
  @Field(passwordField) password!: string;
  @Field({ ...nameField, optional: true, description: 'Left out: what stands before the @ of the email.' })
  name?: string;
  @Field({ type: 'string', enum: ['user', 'admin'], optional: true, description: 'Legacy.' }) role?: string;
  @Field({
    type: 'array',
    items: 'string',
    maxItems: 100,
    optional: true,
    description: 'Roles of this project; one that is unknown, and nothing is created.',
  })
  roleIds?: string[];
  @Field({
    type: 'boolean',
    optional: true,
    default: false,
    description: "Through the site's mailbox: the one chosen for sign-in, else the default one.",
  })
  sendWelcomeEmail?: boolean;
  @Field(customFieldsField) customFields?: JsonObject;
}

const legacyRole = { type: 'string', enum: ['user', 'admin'] } as const;
const banned = takesAwayWhen<AppUser, AppUserEvent>(({ type }) => type === 'AppUserBanned');

@Operation('site/getAppUsers', {
  summary: 'Lists the users of a site, oldest first.',
  source,
  group,
  effect: 'query',
  permission: 'site.users',
  within: 'project',
  // Functions reach users by a power of their own, which a card gives.
  tools: 'agents',
  answers: {
    fields: {
      users: { type: 'array', items: () => AppUserRecord },
      total: { type: 'integer', description: 'All users of the site.' },
    },
  },
})
export class GetAppUsers {
  @Field(idField) projectId!: string;
  @Field({ type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 }) limit?: number;
  @Field({ type: 'integer', minimum: 0, maximum: 1_000_000_000, optional: true, default: 0 }) offset?: number;
}

@Operation('site/getAppUser', {
  summary: 'Shows one user of a site.',
  source,
  group,
  effect: 'query',
  permission: 'site.users',
  within: 'project',
  tools: 'agents',
  answers: { record: AppUserRecord },
})
export class GetAppUser {
  @Field(idField) projectId!: string;
  @Field(idField) userId!: string;
}

@Operation('site/updateAppUser', {
  summary: 'Updates a user; a ban or another email ends the sessions of the user at once.',
  source,
  group,
  effect: 'command',
  permission: 'site.users',
  within: 'project',
  // Functions reach users by a power of their own, which a card gives.
  tools: 'agents',
  takesAway: banned,
  answers: { record: AppUserRecord },
})
export class UpdateAppUser {
  @Field(idField) projectId!: string;
  @Field(idField) userId!: string;
  @Field({ ...nameField, optional: true }) name?: string;
  @Field({
    ...userEmailField,
    optional: true,
    description: 'Set by a person alone. Counts as verified; unique in the project.',
  })
  email?: string;
  @Field({ ...nameField, optional: true, description: 'Legacy; a text.' }) role?: string;
  @Field({ type: 'boolean', optional: true }) isBanned?: boolean;
  @Field({
    ...customFieldsField,
    description: 'By field id or name; merged into those there are, null takes one away.',
  })
  customFields?: JsonObject;
  @Field({ ...customFieldsField, description: 'Another name of customFields.' }) profileData?: JsonObject;
}

@Operation('site/updateAppUserRole', {
  summary: 'Sets the legacy role of a user; roles of access control are given by assignRoleToAppUser.',
  source,
  group,
  effect: 'command',
  permission: 'site.users',
  within: 'project',
  // Functions reach users by a power of their own, which a card gives.
  tools: 'agents',
  answers: { record: AppUserRecord },
})
export class UpdateAppUserRole {
  @Field(idField) projectId!: string;
  @Field(idField) userId!: string;
  @Field(legacyRole) role!: 'user' | 'admin';
}

@Operation('site/resetAppUserPassword', {
  summary: 'Gives a user a new password and ends all sessions of the user.',
  source,
  group,
  effect: 'command',
  permission: 'site.users',
  // A caller who sets a password can sign in as the user.
  callers: ['person', 'connection'],
  within: 'project',
  tools: 'never',
  // The hash of the old password is destroyed.
  takesAway: takesAwayWhen<AppUser, AppUserEvent>(
    ({ type, data }) => type === 'AppUserPasswordSet' && data.replaces !== null,
  ),
  outside: ['destroys secrets'],
  answers: success,
})
export class ResetAppUserPassword {
  @Field(idField) projectId!: string;
  @Field(idField) userId!: string;
  @Field(passwordField) newPassword!: string;
}

@Operation('site/deleteAppUser', {
  summary: 'Deletes a user for good: sessions end, and everything personal is erased.',
  source,
  group,
  effect: 'command',
  permission: 'site.users',
  within: 'project',
  // Functions reach users by a power of their own, which a card gives.
  tools: 'agents',
  takesAway: true,
  outside: ['destroys secrets'],
  answers: success,
})
export class DeleteAppUser {
  @Field(idField) projectId!: string;
  @Field(idField) userId!: string;
}
