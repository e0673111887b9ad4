import type { ActorKind } from '../../../kernel/caller.js';
import type { DomainEvent } from '../../../kernel/event.js';
import type { JsonObject } from '../../../kernel/json.js';
import type { Document } from '../../../kernel/projection.js';
import { record } from '../../../kernel/record.js';
import { refuse } from '../../../kernel/refusal.js';

/** What happened in the account (Account Events API, Event). */
export interface AccountEventFacts {
  /** With its source before the first dot: `custom.order_paid`. */
  readonly name: string;
  /** The lane it came by: `api`, `function`, … (settled question Q-E14). */
  readonly origin: string;
  readonly subject: JsonObject;
  readonly properties: JsonObject;
  /** How many triggers led to one another before it; 0 at the start of a chain. */
  readonly depth: number;
  /** Whoever raised it may take nothing away, and so may what it starts. Left out: it may. */
  readonly neverDeletes?: true;
}

export type AccountEventEvent = DomainEvent<'AccountEventRecorded', AccountEventFacts>;

export interface AccountEvent extends Document, AccountEventFacts {
  readonly occurredAt: string;
}

/** One stream an event; one with an idempotency key has the key's own stream, so it is recorded once and for ever. */
export const accountEvents = record<AccountEvent, AccountEventEvent>()({
  category: 'accountEvent',
  auditedFor: 'functions.read',
  missing: () => refuse('resource-not-found'),
  begins: { AccountEventRecorded: ({ data, metadata }, ids) => ({ ...ids, ...data, occurredAt: metadata.at }) },
  continues: {},
});

/** The lane that something came by, from who did it (settled question Q-E14). A connection is an AI client's, over MCP. */
export function laneOf(kind: ActorKind): string {
  switch (kind) {
    case 'agent':
    case 'flow':
    case 'function':
      return kind;
    case 'connection':
      return 'mcp';
    case 'person':
    case 'automation':
    case 'webhook':
    case 'schedule':
    case 'mailhook':
    case 'event':
    case 'system':
    case 'operator':
      return 'api';
  }
}

/** The part before the first dot. */
export const sourceOf = (name: string): string => name.slice(0, name.indexOf('.'));
