import { membersBehind } from '../../../kernel/actors/members-behind.js';
import type { AskMode } from '../../../kernel/callers/caller.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../../../kernel/refusals/refusal.js';

interface AgentFacts {
  readonly name: string;
  /** The person behind it. */
  readonly memberId: string;
  readonly canCreateFunctions: boolean;
  /** Copied to every function it creates. Has the shape of a function's grants. */
  readonly grants: JsonObject;
  readonly isActive: boolean;
  /** Its purpose and how it should work, for the model that runs it. */
  readonly instructions: string;
  /** The model's name. Null: the configured one. */
  readonly model: string | null;
  /** What it may call: tool names of operations, and ids of functions. */
  readonly tools: readonly string[];
  /** Which of its commands wait for a person. */
  readonly asks: AskMode;
}

/** Fields added later. Agents recorded before that lack them. */
type Later = Pick<AgentFacts, 'instructions' | 'model' | 'tools' | 'asks'>;
const none: Later = { instructions: '', model: null, tools: [], asks: 'risky' };

export type AgentEvent =
  | DomainEvent<'AgentAdded', Omit<AgentFacts, keyof Later> & Partial<Later>>
  | DomainEvent<'AgentUpdated', Partial<Omit<AgentFacts, 'memberId'>>>
  | DomainEvent<'AgentRemoved', object>;

export interface Agent extends Document, AgentFacts {
  readonly createdAt: string;
  /** Ids of the members who added it, or who changed what it does or may do. */
  readonly makers: readonly string[];
}

/** Changing any of these changes what the agent does. */
export const steering = ['instructions', 'model', 'tools', 'grants', 'canCreateFunctions', 'asks'] as const;

export const agents = plainRecord<Agent, AgentEvent>()({
  category: 'agent',
  auditedFor: 'workspace.read',
  shownBy: 'workspace/listAgents',
  limited: true,
  undoing: {
    sets: ['workspace/updateAgent'],
    makes: 'workspace/addAgent',
    ends: 'workspace/removeAgent',
    returns: { type: 'AgentRestored', later: none },
  },
  missing: () => refuse('agent-not-found'),
  collection: { name: 'agents', version: 4, indexes: [{ fields: ['workspaceId', 'createdAt'] }] },
  begins: {
    AgentAdded: ({ data, metadata }) => ({ ...none, ...data, makers: membersBehind(metadata.actor) }),
  },
  ends: ['AgentRemoved'],
  also: {
    AgentUpdated: ({ makers }, { data, metadata }) => {
      const by = steering.some((key) => key in data) ? membersBehind(metadata.actor) : [];
      return { ...data, makers: [...new Set([...makers, ...by])] };
    },
  },
});
