import { command } from '../../../../engine/operation/bound-operation.js';
import { success } from '../../../../engine/operation/operation.js';
import { ReplaySwitches } from '../../../../engine/retention/replay-switches.js';
import { Replays } from './replays.js';

const source = 'Beyond the Automations API, Triggers and runs';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;

export const replayOperations = [
  command('automations/replayRun', {
    summary: 'Repeats a failed asynchronous run with the same input, as a new run.',
    source,
    group: 'runs',
    permission: 'functions.edit',
    tools: 'never',
    outside: ['runs code'],
    answers: {
      fields: {
        runId: { type: 'string', description: 'Id of the new run, which has been accepted durably and starts soon.' },
        replayOf: { type: 'string', description: 'Id of the run that is repeated.' },
      },
    },
    input: {
      runId: id,
      version: {
        type: 'string',
        enum: ['live', 'same'],
        optional: true,
        default: 'live',
        description: '`live`: the version that is live when the new run starts. `same`: the version of the failed run.',
      },
    },
    inject: [Replays],
    handle: ({ runId, version = 'live' }, call, replays) => replays.replay(call, runId, version),
  }),
  command('automations/setTriggerReplay', {
    summary:
      "Sets whether the inputs of a trigger's failed runs are retained for seven days, so that the runs can be replayed.",
    source,
    group: 'triggers',
    permission: 'functions.edit',
    tools: 'never',
    answers: success,
    input: {
      id: { ...id, description: 'Id of a webhook, a schedule or a mailhook.' },
      keepInput: {
        type: 'boolean',
        description: 'Applies to inputs that arrive from now on. If false, an input is destroyed when its run ends.',
      },
    },
    inject: [ReplaySwitches],
    handle: async ({ id: trigger, keepInput }, call, switches) => {
      await switches.set(call, trigger, keepInput);
      return { success: true };
    },
  }),
];
