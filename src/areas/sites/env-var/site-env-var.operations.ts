import { Operation, success, takesAwayWhen } from '../../../engine/operation/operation.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { SiteEnvVar, SiteEnvVarEvent } from './site-env-var.record.js';

const source = 'Sites API, Environment variables';
const group = 'env-vars';
const description = { type: 'string', maxLength: 10_000, optional: true } as const;
const value = { type: 'string', minLength: 1, maxLength: 10_000, description: 'Sealed.', password: true } as const;
const isSecret = { type: 'boolean', optional: true } as const;
const allowedHosts = {
  type: 'array',
  items: 'string',
  maxItems: 100,
  optional: true,
  description:
    "Bare hosts that a visitor's call may send it to, such as api.example.com, or *.example.com for its subdomains. Empty: no visitor's call uses it. Calls of members are not limited.",
} as const;

/** A variable as operations show it: with its value only while it is no secret. */
export class SiteEnvVarRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', optional: true, description: 'Of a variable that is no secret.' }) value?: string;
  @Field({ type: 'string' }) description!: string;
  @Field({ type: 'boolean' }) isSecret!: boolean;
  @Field({ type: 'array', items: 'string' }) allowedHosts!: readonly string[];
  @Field({ type: 'any', nullable: true, description: 'null: whoever its functions let run.' })
  useRules!: Condition | null;
  @Field({ type: 'string', nullable: true, description: 'The installed plugin that alone sees it.' })
  installScopeId!: string | null;
  @Field({ type: 'string', format: 'date-time' }) updatedAt!: string;
}

@Operation('site/listEnvVars', {
  summary: 'Lists the environment variables of a project by name, without the values of secrets.',
  source,
  group,
  effect: 'query',
  permission: 'site.read',
  within: 'project',
  tools: 'never',
  answers: { list: SiteEnvVarRecord },
})
export class ListSiteEnvVars {
  @Field(idField) projectId!: string;
}

@Operation('site/createEnvVar', {
  summary: "Keeps an environment variable for the site's functions; a secret unless it says otherwise.",
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  within: 'project',
  tools: 'never',
  answers: { record: SiteEnvVarRecord },
})
export class CreateSiteEnvVar {
  @Field(idField) projectId!: string;
  @Field({
    type: 'string',
    maxLength: 100,
    pattern: /^[A-Z][A-Z0-9_]{0,99}$/,
    description: 'A secret must not begin with APP_.',
  })
  name!: string;
  @Field(value) value!: string;
  @Field(description) description?: string;
  @Field({ ...isSecret, default: true, description: 'A secret is never shown again.' }) isSecret?: boolean;
  @Field({ ...allowedHosts, default: [] }) allowedHosts?: string[];
  @Field({
    type: 'string',
    minLength: 1,
    maxLength: 200,
    optional: true,
    description: 'listingId of an installed plugin, which alone sees the variable.',
  })
  installScopeId?: string;
}

@Operation('site/updateEnvVar', {
  summary: 'Updates an environment variable.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  tools: 'never',
  // The replaced value is destroyed.
  takesAway: takesAwayWhen<SiteEnvVar | undefined, SiteEnvVarEvent>(
    ({ type, data }) => type === 'EnvVarSet' && data.replaces !== null,
  ),
  outside: ['destroys secrets'],
  answers: { record: SiteEnvVarRecord },
})
export class UpdateSiteEnvVar {
  @Field(idField) id!: string;
  @Field({ ...value, optional: true }) value?: string;
  @Field(description) description?: string;
  @Field({ ...isSecret, description: 'false: only together with a new value, since a secret is never shown.' })
  isSecret?: boolean;
  @Field(allowedHosts) allowedHosts?: string[];
  @Field({
    type: 'array',
    items: 'object',
    maxItems: 1_000,
    optional: true,
    nullable: true,
    description:
      'Who may use it: rules public, authenticated, has_role, user_property, has_entitlement. They only narrow; null: whoever its functions let run. Set by a person.',
  })
  useRules?: readonly object[] | null;
}

@Operation('site/deleteEnvVar', {
  summary: 'Deletes an environment variable and destroys its value; functions that read it fail from then on.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  tools: 'never',
  takesAway: true,
  outside: ['destroys secrets'],
  answers: success,
})
export class DeleteSiteEnvVar {
  @Field(idField) id!: string;
}
