import { passwordField, userEmailField } from '../../areas/app-users/app-user/app-user-fields.api.js';
import { Field, type FieldSpec } from '../../kernel/field/field.js';
import { nameField } from '../../kernel/field/plain-text.js';
import type { JsonObject } from '../../kernel/json/json.js';

/** The value is only compared with stored values, which are shorter than this limit. */
const comparedField = { type: 'string', maxLength: 4_000 } as const satisfies FieldSpec;
const customFields = { type: 'object', maxBytes: 100_000, optional: true } as const satisfies FieldSpec;

export class NoBody {}

export class SignUpBody {
  @Field(userEmailField) email!: string;
  @Field(passwordField) password!: string;
  @Field({ ...nameField, optional: true }) name?: string;
  @Field(customFields) customFields?: JsonObject;
}

export class EmailBody {
  @Field(comparedField) email!: string;
}

export class TokenBody {
  @Field(comparedField) token!: string;
}

export class ResetBody {
  @Field(comparedField) token!: string;
  @Field(passwordField) password!: string;
}

export class ProfileBody {
  @Field({ ...nameField, optional: true }) name?: string;
  @Field(customFields) customFields?: JsonObject;
  @Field({ ...passwordField, optional: true }) password?: string;
  @Field({ ...comparedField, optional: true }) currentPassword?: string;
}

export class LogInBody {
  @Field(comparedField) email!: string;
  @Field(comparedField) password!: string;
}
