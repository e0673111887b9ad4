import type { DomainEvent } from '../../../kernel/event.js';
import type { JsonObject } from '../../../kernel/json.js';
import { membersBehind } from '../../../kernel/members-behind.js';
import { plainRecord } from '../../../kernel/plain-record.js';
import type { Document } from '../../../kernel/projection.js';
import { refuse } from '../../../kernel/refusal.js';

interface AgentFacts {
  readonly name: string;
  /** The person behind it. */
  readonly memberId: string;
  readonly canCreateFunctions: boolean;
  /** Copied to every function it creates; shaped as a function's grants. */
  readonly grants: JsonObject;
  readonly isActive: boolean;
  /** What it is for and how it goes about it, for the model that it runs with. */
  readonly instructions: string;
  /** The model's name; null: the configured one. */
  readonly model: string | null;
  /** What it may call: names of operations as tools, and ids of functions. */
  readonly tools: readonly string[];
}

/** What came later: agents that were added before it have none. */
type Later = Pick<AgentFacts, 'instructions' | 'model' | 'tools'>;
const none: Later = { instructions: '', model: null, tools: [] };

export type AgentEvent =
  | DomainEvent<'AgentAdded', Omit<AgentFacts, keyof Later> & Partial<Later>>
  | DomainEvent<'AgentUpdated', Partial<Omit<AgentFacts, 'memberId'>>>
  | DomainEvent<'AgentRemoved', object>;

export interface Agent extends Document, AgentFacts {
  readonly createdAt: string;
  /** The members who added it, or said what it does or may, by id. */
  readonly makers: readonly string[];
}

/** Whoever changes one of these steers the agent. */
export const steering = ['instructions', 'model', 'tools', 'grants', 'canCreateFunctions'] as const;

export const agents = plainRecord<Agent, AgentEvent>()({
  category: 'agent',
  auditedFor: 'workspace.read',
  limited: true,
  missing: () => refuse('agent-not-found'),
  collection: { name: 'agents', version: 3, indexes: [{ fields: ['workspaceId', 'createdAt'] }] },
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
