import type { DomainEvent } from '../../../kernel/event.js';
import type { JsonObject } from '../../../kernel/json.js';
import type { Document } from '../../../kernel/projection.js';
import { record } from '../../../kernel/record.js';
import { refuse } from '../../../kernel/refusal.js';

interface AgentFacts {
  readonly name: string;
  /** The person behind it. */
  readonly memberId: string;
  readonly canCreateFunctions: boolean;
  /** Copied to every function it creates; shaped as a function's grants. */
  readonly grants: JsonObject;
  readonly isActive: boolean;
}

export type AgentEvent =
  | DomainEvent<'AgentAdded', AgentFacts>
  | DomainEvent<'AgentUpdated', Partial<Omit<AgentFacts, 'memberId'>>>
  | DomainEvent<'AgentRemoved', object>;

export interface Agent extends Document, AgentFacts {
  readonly createdAt: string;
}

export const agents = record<Agent, AgentEvent>()({
  category: 'agent',
  missing: () => refuse('agent-not-found'),
  begins: { AgentAdded: ({ data, metadata }, ids) => ({ ...ids, ...data, createdAt: metadata.at }) },
  continues: {
    AgentUpdated: (agent, { data }) => ({ ...agent, ...data }),
    AgentRemoved: () => undefined,
  },
});
