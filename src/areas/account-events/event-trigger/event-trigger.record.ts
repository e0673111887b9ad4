import type { TargetKind } from '../../../kernel/callers/target.js';
import type { Operator, Scalar } from '../../../kernel/condition/operators.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../../../kernel/refusals/refusal.js';

/** One comparison that must hold for a trigger to fire (settled question Q-E01). */
export interface EventFilter {
  /**
   * `subject.name`, `name`, `source` and `origin` are fields of the event. Anything else is a path into its properties.
   */
  readonly field: string;
  readonly op: Operator;
  readonly value?: Scalar | readonly Scalar[];
}

/** The words used in this area's answers. An agent is called agent here. */
export const eventTargetKinds = ['flow', 'agent', 'account_function', 'site_function'] as const;
export type EventTargetKind = (typeof eventTargetKinds)[number];

/** The words callers may use. Both words for an AI agent are accepted (settled question Q-A47). */
export const eventTargetWords = [...eventTargetKinds, 'specialist'] as const;
export type EventTargetWord = (typeof eventTargetWords)[number];

export function eventTargetKindOf(word: EventTargetWord): EventTargetKind {
  return word === 'specialist' ? 'agent' : word;
}

/** The same kind, in the words of triggers in general. */
export function targetKindFor(kind: EventTargetKind): TargetKind {
  return kind === 'agent' ? 'specialist' : kind;
}

export interface TriggerConfig {
  readonly installId?: string;
  /** Passed to the target in addition to the event. */
  readonly params?: JsonObject;
}

/** The parts of a trigger that can be changed. */
export interface TriggerTerms {
  readonly name: string;
  /** A name, `<source>.*` or `*`. */
  readonly event: string;
  readonly filters: readonly EventFilter[];
  readonly config: TriggerConfig;
}

interface TriggerTarget {
  readonly targetKind: EventTargetKind;
  readonly targetRef: string;
}

export type EventTriggerEvent =
  /** On the stream of a flow's node this may also follow a removal, and begins a new trigger. */
  | DomainEvent<'EventTriggerAdded', TriggerTerms & TriggerTarget>
  | DomainEvent<'EventTriggerChanged', Partial<TriggerTerms>>
  | DomainEvent<'EventTriggerActivated', object>
  | DomainEvent<'EventTriggerDeactivated', object>
  | DomainEvent<'EventTriggerRemoved', object>;

export interface EventTrigger extends Document, TriggerTerms, TriggerTarget {
  readonly isActive: boolean;
  readonly createdAt: string;
}

export const eventTriggers = plainRecord<EventTrigger, EventTriggerEvent>()({
  category: 'eventTrigger',
  auditedFor: 'functions.read',
  shownBy: 'accountEvents/listEventTriggers',
  undoing: {
    sets: ['accountEvents/updateEventTrigger'],
    makes: 'accountEvents/addEventTrigger',
    ends: 'accountEvents/removeEventTrigger',
    returns: { type: 'EventTriggerRestored' },
  },
  missing: () => refuse('event-trigger-not-found'),
  collection: {
    name: 'eventTriggers',
    version: 1,
    indexes: [{ fields: ['workspaceId', 'createdAt'] }, { fields: ['workspaceId', 'targetRef', 'createdAt'] }],
  },
  begins: { EventTriggerAdded: { isActive: true } },
  merges: ['EventTriggerChanged'],
  ends: ['EventTriggerRemoved'],
  also: {
    EventTriggerActivated: () => ({ isActive: true }),
    EventTriggerDeactivated: () => ({ isActive: false }),
  },
});
