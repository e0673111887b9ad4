import type { DomainEvent } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import { refuse } from '../account-events.refusals.js';

/** Something that happened in the account (Account Events API, Event). */
export interface AccountEventFacts {
  /** The text before the first dot is the event's source: `custom.order_paid`. */
  readonly name: string;
  /** What raised it: `api`, `function`, … (settled question Q-E14). */
  readonly origin: string;
  readonly subject: JsonObject;
  readonly properties: JsonObject;
  /** Length of the chain of triggers that led to it; 0 at the start. */
  readonly depth: number;
  /** The emitter may not delete, so neither may the runs that the event starts. If omitted, they may. */
  readonly neverDeletes?: true;
}

export type AccountEventEvent = DomainEvent<'AccountEventRecorded', AccountEventFacts>;

export interface AccountEvent extends Document, AccountEventFacts {
  readonly occurredAt: string;
}

/**
 * One stream per event. An event with an idempotency key uses a stream derived from the key, so it is recorded only
 * once, without a time limit.
 */
export const accountEvents = record<AccountEvent, AccountEventEvent>()({
  category: 'accountEvent',
  auditedFor: 'functions.read',
  shownBy: null,
  undoing: 'What has happened cannot be taken back; getStateAt answers what was there before.',
  missing: () => refuse('resource-not-found'),
  begins: { AccountEventRecorded: ({ data, metadata }, ids) => ({ ...ids, ...data, occurredAt: metadata.at }) },
  continues: {},
});

/** The part before the first dot. */
export const sourceOf = (name: string): string => name.slice(0, name.indexOf('.'));
