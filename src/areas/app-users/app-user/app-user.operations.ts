import { Field, type FieldSpec } from '../../../engine/operation/field.js';
import { Operation } from '../../../engine/operation/operation.js';
import { idField, nameField } from '../../../engine/operation/plain-text.js';
import type { JsonObject } from '../../../kernel/json.js';
import { mustBe } from '../../../kernel/must-be.js';
import { wrongPassword } from '../../../kernel/password.js';
import { userEmail } from '../../../kernel/user-email.js';

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
  type: 'any',
  schema: { type: 'string', minLength: 8, maxLength: 1_000 },
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
  @Field({ type: 'object', description: 'By field id.' }) customFields!: JsonObject;
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
  @Field({ type: 'boolean', optional: true, default: false }) sendWelcomeEmail?: boolean;
  @Field(customFieldsField) customFields?: JsonObject;
}
