import { command, query } from '../../../engine/operation/bound-operation.js';
import { success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { Field, shapeOf } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { SiteEnvVar, SiteEnvVarEvent } from './site-env-var.record.js';
import { SiteEnvVarChanges } from './site-env-var-changes.js';
import { SiteEnvVarView } from './site-env-var-view.js';

const declared = { source: 'Sites API, Environment variables', group: 'env-vars', tools: 'never' } as const;
const changes = { ...declared, permission: 'site.edit' } as const;
const description = { type: 'string', maxLength: 10_000, optional: true } as const;
const value = {
  type: 'string',
  minLength: 1,
  maxLength: 10_000,
  description: 'Stored encrypted.',
  password: true,
} as const;
const isSecret = { type: 'boolean', optional: true } as const;
const allowedHosts = {
  type: 'array',
  items: 'string',
  maxItems: 100,
  optional: true,
  description:
    "The only hosts to which a secret may be sent: bare hosts such as api.example.com, or *.example.com for any one label in place of *. If empty, visitors' calls cannot use the secret; calls by the Owner and Admins in person, and functions for which an Admin opened hosts, are not limited by this list.",
} as const;

class SiteEnvVarRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', optional: true, description: 'Present only if the variable is not a secret.' })
  value?: string;
  @Field({ type: 'string' }) description!: string;
  @Field({ type: 'boolean' }) isSecret!: boolean;
  @Field({ type: 'array', items: 'string' }) allowedHosts!: readonly string[];
  @Field({
    type: 'any',
    nullable: true,
    description: 'null if everyone who may run the functions that read the variable may use it.',
  })
  useRules!: Condition | null;
  @Field({ type: 'string', nullable: true, description: 'The installed plugin to which the variable is restricted.' })
  installScopeId!: string | null;
  @Field({ type: 'string', format: 'date-time' }) updatedAt!: string;
}

/** These shapes have explicit names, because the derived names belong to the shapes for the workspace's variables. */
const inputs = {
  list: shapeOf('ListSiteEnvVars', { projectId: idField }),
  create: shapeOf('CreateSiteEnvVar', {
    projectId: idField,
    name: {
      type: 'string',
      maxLength: 100,
      pattern: /^[A-Z][A-Z0-9_]{0,99}$/,
      description: "A secret's name must not begin with APP_.",
    },
    value,
    description,
    isSecret: {
      ...isSecret,
      default: true,
      description: 'Whether the variable is a secret. No operation returns the value of a secret.',
    },
    allowedHosts: { ...allowedHosts, default: [] },
    installScopeId: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      optional: true,
      description: 'listingId of an installed plugin, to which the variable is restricted.',
    },
  }),
  update: shapeOf('UpdateSiteEnvVar', {
    id: idField,
    value: { ...value, optional: true },
    description,
    isSecret: {
      ...isSecret,
      description: 'false requires a new value in the same call, because the value of a secret is never shown.',
    },
    allowedHosts,
    useRules: {
      type: 'array',
      items: 'object',
      maxItems: 1_000,
      optional: true,
      nullable: true,
      description:
        'Rules that further restrict who may use the variable; they never extend the rules of the functions that read it. Their types are public, authenticated, has_role, user_property and has_entitlement. null for no further restriction. Only a person can set them.',
    },
  }),
  delete: shapeOf('DeleteSiteEnvVar', { id: idField }),
};

export const siteEnvVarOperations = [
  query('site/listEnvVars', {
    ...declared,
    summary: 'Lists the environment variables of a project, sorted by name, without the values of secrets.',
    permission: 'site.read',
    within: 'project',
    answers: { list: SiteEnvVarRecord },
    input: inputs.list,
    inject: [Reads, SiteEnvVarView],
    handle: async ({ projectId }, { workspaceId }, reads, view) => {
      const where = { projectId };
      const found = await reads.find<SiteEnvVar>(workspaceId, 'siteEnvVars', { where, sort: [['name', 'asc']] });
      const all = await Promise.all(found.map((envVar) => view.of(envVar)));
      return all.filter((one) => one !== undefined);
    },
  }),
  command('site/createEnvVar', {
    ...changes,
    summary: "Creates an environment variable for the site's functions. It is a secret unless isSecret is false.",
    within: 'project',
    answers: { record: SiteEnvVarRecord },
    input: inputs.create,
    inject: [SiteEnvVarChanges],
    handle: (input, call, envVars) => envVars.create(call, input),
  }),
  command('site/updateEnvVar', {
    ...changes,
    summary: 'Updates an environment variable.',
    // Setting a new value destroys the former one, so the call is treated as a deletion.
    takesAway: takesAwayWhen<SiteEnvVar | undefined, SiteEnvVarEvent>(
      ({ type, data }) => type === 'EnvVarSet' && data.replaces !== null,
    ),
    outside: ['destroys secrets'],
    answers: { record: SiteEnvVarRecord },
    input: inputs.update,
    inject: [SiteEnvVarChanges],
    handle: (input, call, envVars) => envVars.update(call, input),
  }),
  command('site/deleteEnvVar', {
    ...changes,
    summary: 'Deletes an environment variable and destroys its value. Functions that read it fail from then on.',
    takesAway: true,
    outside: ['destroys secrets'],
    answers: success,
    input: inputs.delete,
    inject: [SiteEnvVarChanges],
    handle: async ({ id }, call, envVars) => {
      await envVars.delete(call, id);
      return { success: true };
    },
  }),
];
