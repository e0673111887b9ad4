import { membersBehind } from '../../../kernel/actors/members-behind.js';
import { type AskMode, askModes } from '../../../kernel/callers/caller.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { boolean, field, fieldOf, id, name, texts } from '../../../kernel/noun/fields.js';
import { noun } from '../../../kernel/noun/noun.js';
import type { CreateInput, NounEvents, RecordOf, UpdateInput } from '../../../kernel/noun/noun-types.js';
import { refuse } from '../workspace.refusals.js';
import { AgentGrants, recordedGrants } from './agent-grants.js';

const asksWords =
  'Which of its commands require approval by a person: risky ones, all that change the workspace, or none. A command is risky if it takes something away, opens something to visitors who have not signed in, grants paid access or a discount, publishes, or sends to many recipients.';

const fields = {
  name: name(),
  memberId: id().fixed().shownAs({ type: 'string' }).initially('').describe({
    sent: 'The member on whose behalf the agent acts. Default: the caller. Another member requires the right to manage members.',
    answer: 'The member on whose behalf the agent acts.',
  }),
  canCreateFunctions: boolean().default(false),
  grants: fieldOf<JsonObject>()({ type: 'object', shape: () => AgentGrants, maxBytes: 16 * 1024 })
    .initially({})
    .storedAs((sent) => recordedGrants(sent as AgentGrants))
    .describe({ update: 'Replaces all grants.' }),
  isActive: boolean()
    .initially(true)
    .setLater()
    .describe({ update: "If false, the agent's keys do not work and the agent does not run." }),
  instructions: field({ type: 'string', maxLength: 20_000 })
    .initially('')
    .since(2)
    .describe({ sent: 'Instructions for the model: what the agent is for and how it proceeds.' }),
  model: field({ type: 'string', pattern: /^[\x21-\x7e]{1,200}$/ })
    .orNull()
    .since(2)
    .describe({
      sent: 'Name of the model. null for the configured default.',
      answer: 'Name of the model. null for the configured default.',
    }),
  tools: texts(64).initially([]).since(2).describe({
    sent: 'What the agent may call when it runs: operations, as <area>_<operation>, and functions, by id. Replaces the whole list.',
  }),
  asks: fieldOf<AskMode>()({ type: 'string', enum: askModes }).default('risky').since(4).describe(asksWords),
  /** Members who added the agent or changed what it does or may do. */
  makers: fieldOf<readonly string[]>()({ type: 'array', items: 'string' }).folded([]).internal(),
};

const events = { created: 'AgentAdded', changed: 'AgentUpdated', deleted: 'AgentRemoved' } as const;

export type AgentEvent = NounEvents<typeof fields, typeof events>;
export type NewAgent = CreateInput<typeof fields>;
export type AgentInput = UpdateInput<typeof fields>;
export interface Agent extends RecordOf<typeof fields> {}

export const steering = ['instructions', 'model', 'tools', 'grants', 'canCreateFunctions', 'asks'] as const;

export const agents = noun<Agent, AgentEvent>()({
  kind: 'agent',
  fields,
  events,
  auditedFor: 'workspace.read',
  shownBy: 'workspace/listAgents',
  limited: true,
  undoing: {
    sets: ['workspace/updateAgent'],
    makes: 'workspace/addAgent',
    ends: 'workspace/removeAgent',
    returns: { type: 'AgentRestored' },
  },
  missing: () => refuse('agent-not-found'),
  collection: { name: 'agents', version: 4, indexes: [{ fields: ['workspaceId', 'createdAt'] }] },
  folds: {
    AgentAdded: (_, { metadata }) => ({ makers: membersBehind(metadata.actor) }),
    AgentUpdated: ({ makers }, { data, metadata }) => {
      const by = steering.some((key) => key in data) ? membersBehind(metadata.actor) : [];
      return { makers: [...new Set([...makers, ...by])] };
    },
  },
});
