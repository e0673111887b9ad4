import { Operation, success } from '../../../../engine/operation/operation.js';
import { Field } from '../../../../kernel/field/field.js';

const source = 'Beyond the Automations API, Triggers and runs';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;

@Operation('automations/replayRun', {
  summary: 'Runs an accepted run that failed once more, with the same input, as a new run.',
  source,
  group: 'runs',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'never',
  outside: ['runs code'],
  answers: {
    fields: {
      runId: { type: 'string', description: 'The new run; it is durable and runs soon.' },
      replayOf: { type: 'string', description: 'The run that it repeats.' },
    },
  },
})
export class ReplayRun {
  @Field(id) runId!: string;
  @Field({
    type: 'string',
    enum: ['live', 'same'],
    optional: true,
    default: 'live',
    description: "The version that runs: the one that is live by then, or the one that failed ('same').",
  })
  version?: 'live' | 'same';
}

@Operation('automations/setTriggerReplay', {
  summary:
    'Says whether the inputs of a trigger are kept for seven days when their runs fail, so that those can be replayed.',
  source,
  group: 'triggers',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'never',
  answers: success,
})
export class SetTriggerReplay {
  @Field({ ...id, description: 'Of a webhook, a schedule or a mailhook.' }) id!: string;
  @Field({ type: 'boolean', description: 'Counts for what comes in from now on. false: destroyed when the run ends.' })
  keepInput!: boolean;
}
