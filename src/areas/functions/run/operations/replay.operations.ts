import { command } from '../../../../engine/operation/bound-operation.js';
import { success } from '../../../../engine/operation/operation.js';
import { ReplaySwitches } from '../../../../engine/retention/replay-switches.js';
import { Replays } from './replays.js';

const source = 'Beyond the Automations API, Triggers and runs';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;

export const replayOperations = [
  command('automations/replayRun', {
    summary: 'Runs an accepted run that failed once more, with the same input, as a new run.',
    source,
    group: 'runs',
    permission: 'functions.edit',
    tools: 'never',
    outside: ['runs code'],
    answers: {
      fields: {
        runId: { type: 'string', description: 'The new run; it is durable and runs soon.' },
        replayOf: { type: 'string', description: 'The run that it repeats.' },
      },
    },
    input: {
      runId: id,
      version: {
        type: 'string',
        enum: ['live', 'same'],
        optional: true,
        default: 'live',
        description: "The version that runs: the one that is live by then, or the one that failed ('same').",
      },
    },
    inject: [Replays],
    handle: ({ runId, version = 'live' }, call, replays) => replays.replay(call, runId, version),
  }),
  command('automations/setTriggerReplay', {
    summary:
      'Says whether the inputs of a trigger are kept for seven days when their runs fail, so that those can be replayed.',
    source,
    group: 'triggers',
    permission: 'functions.edit',
    tools: 'never',
    answers: success,
    input: {
      id: { ...id, description: 'Of a webhook, a schedule or a mailhook.' },
      keepInput: {
        type: 'boolean',
        description: 'Counts for what comes in from now on. false: destroyed when the run ends.',
      },
    },
    inject: [ReplaySwitches],
    handle: async ({ id: trigger, keepInput }, call, switches) => {
      await switches.set(call, trigger, keepInput);
      return { success: true };
    },
  }),
];
