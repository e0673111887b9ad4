import type { DomainEvent } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import { refuse } from '../account-events.refusals.js';

/** Fields of an event; see the section "Event" of the Account Events API. */
export interface AccountEventFacts {
  /** The text before the first dot is the source: `custom` in `custom.order_paid`. */
  readonly name: string;
  /** The kind of caller that raised the event: `api`, `function`, … (settled question Q-E14). */
  readonly origin: string;
  readonly subject: JsonObject;
  readonly properties: JsonObject;
  /** Number of triggers in the chain that led to this event. */
  readonly depth: number;
  /** Set if the caller is not allowed to delete. The runs that the event starts must not delete either. */
  readonly neverDeletes?: true;
}

export type AccountEventEvent = DomainEvent<'AccountEventRecorded', AccountEventFacts>;

export interface AccountEvent extends Document, AccountEventFacts {
  readonly occurredAt: string;
}

/**
 * The stream's id is derived from the idempotency key, if there is one, so a repeated request never records a second
 * event, however late it arrives.
 */
export const accountEvents = record<AccountEvent, AccountEventEvent>()({
  category: 'accountEvent',
  auditedFor: 'functions.read',
  shownBy: null,
  undoing: 'Past events cannot be undone; getStateAt returns the earlier state.',
  missing: () => refuse('resource-not-found'),
  begins: { AccountEventRecorded: ({ data, metadata }, ids) => ({ ...ids, ...data, occurredAt: metadata.at }) },
  continues: {},
});

export const sourceOf = (name: string): string => name.slice(0, name.indexOf('.'));
