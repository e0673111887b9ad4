import { Field, type FieldSpec } from '../../../engine/operation/field.js';
import { Operation, success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { idField, nameField } from '../../../engine/operation/plain-text.js';
import { changes, lists } from '../../../engine/records/record-operations.js';
import { type AskMode, askModes } from '../../../kernel/callers/caller.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { hasOthersTakeAway, removeAgent } from './agent.js';
import { type Agent, type AgentEvent, agents } from './agent.record.js';
import { AgentGrants } from './agent-grants.js';

const source = 'Supplementary, workspace';

const asksWords =
  'Which of its commands wait for a person: risky ones, all that change the workspace, or none. Risky is what takes something away, opens something to people without a sign-in, gives paid access or a discount, publishes, or sends to many.';

export class AgentRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', description: 'The person behind it.' }) memberId!: string;
  @Field({ type: 'boolean' }) canCreateFunctions!: boolean;
  @Field({ type: 'object', shape: () => AgentGrants }) grants!: JsonObject;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string' }) instructions!: string;
  @Field({ type: 'string', nullable: true, description: 'null: the configured one.' }) model!: string | null;
  @Field({ type: 'array', items: 'string' }) tools!: readonly string[];
  @Field({ type: 'string', enum: askModes, description: asksWords }) asks!: AskMode;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
}

const instructionsField = {
  type: 'string',
  maxLength: 20_000,
  optional: true,
  description: 'What it is for and how it goes about it, for the model that it runs with.',
} as const satisfies FieldSpec;

const modelField = {
  type: 'string',
  pattern: /^[\x21-\x7e]{1,200}$/,
  optional: true,
  nullable: true,
  description: "The model's name; null: the configured one.",
} as const satisfies FieldSpec;

const toolsField = {
  type: 'array',
  items: 'string',
  maxItems: 64,
  optional: true,
  description:
    'What it may call when it runs: operations, as <area>_<operation>, and functions, by id. Replaced whole.',
} as const satisfies FieldSpec;

const asksField = {
  type: 'string',
  enum: askModes,
  optional: true,
  description: asksWords,
} as const satisfies FieldSpec;

@Operation('workspace/addAgent', {
  summary: 'Adds an AI agent with a person behind it.',
  source,
  group: 'agents',
  effect: 'command',
  permission: 'agents.manage',
  callers: ['person'],
  tools: 'never',
  answers: { record: AgentRecord },
})
export class AddAgent {
  @Field(nameField) name!: string;
  @Field({
    ...idField,
    optional: true,
    description: 'The person behind it; left out, the caller. Another takes the right to manage members.',
  })
  memberId?: string;
  @Field({ type: 'boolean', optional: true, default: false }) canCreateFunctions?: boolean;
  @Field({ type: 'object', shape: () => AgentGrants, maxBytes: 16 * 1024, optional: true }) grants?: AgentGrants;
  @Field(instructionsField) instructions?: string;
  @Field(modelField) model?: string | null;
  @Field(toolsField) tools?: string[];
  @Field({ ...asksField, default: 'risky' }) asks?: AskMode;
}

@Operation('workspace/updateAgent', {
  summary: 'Updates an agent; only a person switches canCreateFunctions, or says what it does when it runs.',
  source,
  group: 'agents',
  effect: 'command',
  permission: 'agents.manage',
  callers: ['person', 'connection'],
  tools: 'never',
  takesAway: takesAwayWhen<Agent, AgentEvent>(hasOthersTakeAway),
  answers: { record: AgentRecord },
})
export class UpdateAgent {
  @Field(idField) id!: string;
  @Field({ ...nameField, optional: true }) name?: string;
  @Field({ type: 'boolean', optional: true }) canCreateFunctions?: boolean;
  @Field({
    type: 'object',
    shape: () => AgentGrants,
    maxBytes: 16 * 1024,
    optional: true,
    description: 'Replaced whole.',
  })
  grants?: AgentGrants;
  @Field({ type: 'boolean', optional: true, description: 'false: its keys do not work, and it does not run.' })
  isActive?: boolean;
  @Field(instructionsField) instructions?: string;
  @Field(modelField) model?: string | null;
  @Field(toolsField) tools?: string[];
  @Field(asksField) asks?: AskMode;
}

@Operation('workspace/listAgents', {
  summary: 'Lists the agents of the workspace, oldest first.',
  source,
  group: 'agents',
  effect: 'query',
  permission: 'workspace.read',
  tools: 'never',
  answers: { list: AgentRecord },
})
export class ListAgents {}

@Operation('workspace/removeAgent', {
  summary: 'Removes an agent, whose keys end at once.',
  source,
  group: 'agents',
  effect: 'command',
  permission: 'agents.manage',
  callers: ['person', 'connection'],
  tools: 'never',
  takesAway: true,
  outside: ['destroys secrets'],
  answers: success,
})
export class RemoveAgent {
  @Field(idField) id!: string;
}

export const agentHandlers = [
  lists(ListAgents, agents, { shows: AgentRecord }),
  changes(RemoveAgent, agents, removeAgent),
];
