import { Operation, success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { answers } from '../../../engine/records/rule.js';
import { Field } from '../../../kernel/field/field.js';
import type { EnvVar, EnvVarEvent } from './env-var.record.js';

const source = 'Automations API, Global env vars';
const name = { type: 'string', pattern: /^[A-Z][A-Z0-9_]{0,99}$/ } as const;

/** A secret as operations show it, never with its value. */
export class EnvVarRecord {
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) description!: string;
  @Field({ type: 'array', items: 'string' }) allowedHosts!: readonly string[];
  @Field({ type: 'string', format: 'date-time' }) updatedAt!: string;
}

/** The answer of `setEnvVar`. */
export class KeptEnvVar extends EnvVarRecord {
  @Field({ type: 'string', optional: true, description: 'There is one when the value could be found by trying.' })
  warning?: string;
}

@Operation('automations/setEnvVar', {
  summary: 'Keeps a secret for functions, agents and flows, and never shows it again.',
  source,
  group: 'env-vars',
  effect: 'command',
  permission: 'functions.edit',
  callers: ['person'],
  tools: 'never',
  // The replaced value is destroyed.
  takesAway: takesAwayWhen<EnvVar | undefined, EnvVarEvent>(
    ({ type, data }) => type === 'EnvVarSet' && data.replaces !== null,
  ),
  outside: ['destroys secrets'],
  answers: { record: KeptEnvVar },
})
export class SetEnvVar {
  @Field({ ...name, description: 'Not APP_…: those are the settings that code writes by ctx.env.set.' }) name!: string;
  @Field({
    type: 'string',
    minLength: 1,
    maxLength: 10_000,
    password: true,
    description: 'Sealed, and answered by no operation.',
  })
  value!: string;
  @Field({ type: 'string', maxLength: 10_000, optional: true, description: 'Left out on overwrite, it stays.' })
  description?: string;
  @Field({
    type: 'boolean',
    optional: true,
    description: 'true: gives a name that is there a new value.',
  })
  overwrite?: boolean;
  @Field({
    type: 'array',
    items: 'string',
    maxItems: 100,
    optional: true,
    description:
      'Hosts it may ever be sent to over https, such as api.example.com, or *.example.com for one label more; another port than 443 stands behind a colon. Left out, none (it only checks signatures) or, on overwrite, those there were.',
  })
  allowedHosts?: string[];
}

@Operation('automations/listEnvVars', {
  summary: 'Lists the secrets of the workspace by name, without their values.',
  source,
  group: 'env-vars',
  effect: 'query',
  permission: 'functions.read',
  tools: 'never',
  answers: { list: EnvVarRecord },
})
export class ListEnvVars {}

@Operation('automations/deleteEnvVar', {
  summary: 'Deletes a secret and destroys its value; functions that read it fail from then on.',
  source,
  group: 'env-vars',
  effect: 'command',
  permission: 'functions.edit',
  callers: ['person'],
  tools: 'never',
  takesAway: true,
  outside: ['destroys secrets'],
  answers: success,
})
export class DeleteEnvVar {
  @Field(name) name!: string;
}

export function envVarRecord({ name, description, allowedHosts, updatedAt }: EnvVar): EnvVarRecord {
  return { name, description, allowedHosts, updatedAt };
}

export const envVarHandlers = [
  answers(ListEnvVars, async (reads, _, { workspaceId }) => {
    const all = await reads.find<EnvVar>(workspaceId, 'envVars', { sort: [['name', 'asc']] });
    return all.map(envVarRecord);
  }),
];
