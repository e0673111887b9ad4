import { command, query } from '../../../engine/operation/bound-operation.js';
import { success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Field } from '../../../kernel/field/field.js';
import { isGuessable } from '../../../secret-text/hiding/guessable.js';
import { checkEnvVar, deleteEnvVar, setEnvVar } from './env-var.js';
import { type EnvVar, type EnvVarEvent, envVars } from './env-var.record.js';
import { SecretReaders } from './secret-readers.api.js';

const source = 'Automations API, Global env vars';
const name = { type: 'string', pattern: /^[A-Z][A-Z0-9_]{0,99}$/ } as const;

export class EnvVarRecord {
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) description!: string;
  @Field({ type: 'array', items: 'string' }) allowedHosts!: readonly string[];
  @Field({ type: 'string', format: 'date-time' }) updatedAt!: string;
}

export class KeptEnvVar extends EnvVarRecord {
  @Field({
    type: 'string',
    optional: true,
    description: 'Present if the value is short or regular enough to be found by guessing.',
  })
  warning?: string;
}

const guessableWarning =
  'This value could be found by guessing: anyone who edits a function or a flow that may use it can learn it over many runs. ' +
  'A value of at least 20 random characters could not.';

export const envVarOperations = [
  command('automations/setEnvVar', {
    summary: 'Stores a secret for functions, agents and flows. No operation returns its value.',
    source,
    group: 'env-vars',
    permission: 'functions.edit',
    callers: ['person'],
    tools: 'never',
    // An overwrite destroys the previous value, so the call counts as a deletion.
    takesAway: takesAwayWhen<EnvVar | undefined, EnvVarEvent>(
      ({ type, data }) => type === 'EnvVarSet' && data.replaces !== null,
    ),
    outside: ['destroys secrets'],
    answers: { record: KeptEnvVar },
    input: {
      name: {
        ...name,
        description: 'Must not begin with APP_, which is reserved for settings that code writes with ctx.env.set.',
      },
      value: {
        type: 'string',
        minLength: 1,
        maxLength: 10_000,
        password: true,
        description: 'Stored encrypted. No operation returns it.',
      },
      description: {
        type: 'string',
        maxLength: 10_000,
        optional: true,
        description: 'If omitted in an overwrite, it is unchanged.',
      },
      overwrite: {
        type: 'boolean',
        optional: true,
        description: 'true replaces the value of an existing secret. Otherwise, an existing name is refused.',
      },
      allowedHosts: {
        type: 'array',
        items: 'string',
        maxItems: 100,
        optional: true,
        description:
          'The only hosts to which the secret may be sent, over https: for example api.example.com, or *.example.com for any one label in place of *. Append :port for a port other than 443. If omitted, there are none, so the secret can only be used to verify signatures; in an overwrite, the list is unchanged.',
      },
    },
    inject: [RecordedSecrets],
    handle: async (sent, call, secrets) => {
      const { value, ...given } = checkEnvVar(sent);
      const input = { ...given, guessable: isGuessable(value) };
      const valueId = call.newId('val');
      const envVar = await secrets.drafting(envVars, call, { id: valueId, value }, async () => {
        const { state } = await secrets.change(call, {
          aggregate: envVars,
          id: input.name,
          begins: 'perhaps',
          decide: (before) => setEnvVar(before, input, valueId),
        });
        return state ?? envVars.missing();
      });
      return { ...envVar, ...(input.guessable ? { warning: guessableWarning } : {}) };
    },
  }),
  query('automations/listEnvVars', {
    summary: 'Lists the secrets of the workspace, sorted by name, without their values.',
    source,
    group: 'env-vars',
    permission: 'functions.read',
    tools: 'never',
    answers: { list: EnvVarRecord },
    input: {},
    inject: [Reads],
    handle: (_, { workspaceId }, reads) => reads.find<EnvVar>(workspaceId, 'envVars', { sort: [['name', 'asc']] }),
  }),
  command('automations/deleteEnvVar', {
    summary: 'Deletes a secret and destroys its value. Functions that read it fail from then on.',
    source,
    group: 'env-vars',
    permission: 'functions.edit',
    callers: ['person'],
    tools: 'never',
    takesAway: true,
    outside: ['destroys secrets'],
    answers: success,
    input: {
      name,
    },
    inject: [RecordedSecrets, SecretReaders],
    handle: async ({ name: deleted }, call, secrets, secretReaders) => {
      const readers = await secretReaders.readersOf({ workspaceId: call.workspaceId, name: deleted });
      await secrets.change(call, {
        aggregate: envVars,
        id: deleted,
        decide: (envVar) => (envVar ? deleteEnvVar(envVar, readers) : []),
      });
      return { success: true };
    },
  }),
];
