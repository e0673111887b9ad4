import { Operation, riskyWhen, takesAwayWhen } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { type CustomFieldType, customFieldTypes } from './auth-settings.record.js';
import type { Project, ProjectEvent } from './project.record.js';
import { opensSignUp } from './update-project-auth.js';

const source = 'Sites API, Projects and settings';
const group = 'projects';
const flag = { type: 'boolean', optional: true } as const;
const nullableText = { type: 'string', nullable: true } as const;
const templateField = {
  type: 'string',
  maxLength: 200,
  nullable: true,
  optional: true,
  description: 'null: the built-in template. It takes effect while authMailAccount is set and connected.',
} as const;

export class AuthCustomField {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) label!: string;
  @Field({ type: 'string', enum: customFieldTypes }) type!: CustomFieldType;
  @Field({ type: 'boolean' }) required!: boolean;
  @Field({ type: 'array', items: 'string', optional: true }) options?: readonly string[];
}

/** How users sign in to the published site. */
export class ProjectAuth {
  @Field({ type: 'boolean' }) authEnabled!: boolean;
  @Field({ type: 'boolean' }) authAllowSignup!: boolean;
  @Field({ type: 'boolean', description: 'Email addresses must be verified.' }) authRequireEmail!: boolean;
  @Field({ type: 'boolean' }) authAllowSocial!: boolean;
  @Field({ type: 'object' }) authPaths!: Readonly<Record<string, string>>;
  @Field({ type: 'integer', nullable: true, description: 'null: 7 days.' }) authSessionHours!: number | null;
  @Field({ type: 'array', items: () => AuthCustomField }) authCustomFields!: readonly AuthCustomField[];
  @Field(nullableText) authMailAccount!: string | null;
  @Field(nullableText) authVerifyTemplateId!: string | null;
  @Field(nullableText) authResetTemplateId!: string | null;
  @Field({
    type: 'array',
    items: 'string',
    description: 'Origins elsewhere whose pages may call the visitor API. An addition of ours.',
  })
  allowedOrigins!: readonly string[];
}

export class UpdatedProjectAuth extends ProjectAuth {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

const flagsThatLetIn: readonly string[] = ['authEnabled', 'authAllowSignup', 'authAllowSocial'];

/** Whether a changed setting lets fewer visitors sign in or up. */
const isNarrower = ([name, value]: readonly [string, unknown]) =>
  name === 'authRequireEmail' ? value === true : flagsThatLetIn.includes(name) && value === false;

@Operation('site/updateProjectAuth', {
  summary: 'Updates how users sign in to the published site.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  tools: 'granted',
  shutsOut: takesAwayWhen<Project, ProjectEvent>(
    ({ type, data }) => type === 'ProjectAuthUpdated' && Object.entries(data).every(isNarrower),
  ),
  risky: riskyWhen<Project, ProjectEvent>(opensSignUp),
  answers: { record: UpdatedProjectAuth },
})
export class UpdateProjectAuth {
  @Field(idField) id!: string;
  @Field(flag) authEnabled?: boolean;
  @Field(flag) authAllowSignup?: boolean;
  @Field({ ...flag, description: 'Email addresses must be verified.' }) authRequireEmail?: boolean;
  @Field(flag) authAllowSocial?: boolean;
  @Field({
    type: 'object',
    maxBytes: 16 * 1024,
    optional: true,
    description:
      'Merged by key; null removes a key. login, signup, forgotPassword, resetPassword, verifyEmail, afterLogin, afterLogout, accessDenied, or a key of your own: a path each.',
  })
  authPaths?: JsonObject;
  @Field({
    type: 'integer',
    minimum: 1,
    maximum: 8_760,
    nullable: true,
    optional: true,
    description: 'Of later sessions. null: 7 days.',
  })
  authSessionHours?: number | null;
  @Field({
    type: 'array',
    items: 'object',
    maxItems: 100,
    nullable: true,
    optional: true,
    description: 'Merged by name: `{ name, label?, type, required?, options? }`. null clears all.',
  })
  authCustomFields?: readonly JsonObject[] | null;
  @Field({
    type: 'array',
    items: 'string',
    maxItems: 100,
    optional: true,
    description: 'Names; removed before authCustomFields is merged. Values that users have are kept.',
  })
  removeCustomFields?: readonly string[];
  @Field({ ...nullableText, maxLength: 200, optional: true, description: "null: the platform's sender." })
  authMailAccount?: string | null;
  @Field(templateField) authVerifyTemplateId?: string | null;
  @Field(templateField) authResetTemplateId?: string | null;
  @Field({
    type: 'array',
    items: 'string',
    maxItems: 20,
    optional: true,
    description:
      'The whole new list of origins elsewhere whose pages may call /api/app/<projectId>, such as https://app.example.com. Cookies are never sent along. An addition of ours.',
  })
  allowedOrigins?: readonly string[];
}
