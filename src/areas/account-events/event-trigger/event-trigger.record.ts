import type { TargetKind } from '../../../kernel/callers/target.js';
import type { ConditionScalar, Operator } from '../../../kernel/condition/operators.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { shapeOf } from '../../../kernel/field/field.js';
import { boolean, field, fieldOf, id, text } from '../../../kernel/noun/fields.js';
import { noun } from '../../../kernel/noun/noun.js';
import type { NounEvents, RecordOf, UpdateInput } from '../../../kernel/noun/noun-types.js';
import { refuse } from '../account-events.refusals.js';
import { patternField } from './event-pattern.js';

/** A trigger fires only if all its comparisons hold (settled question Q-E01). */
export interface TriggerFilter {
  /**
   * `subject.name`, `name`, `source` and `origin` are fields of the event. Any other value is a path in the event's
   * properties.
   */
  readonly field: string;
  readonly op: Operator;
  readonly value?: ConditionScalar | readonly ConditionScalar[];
}

export const eventTargetKinds = ['flow', 'agent', 'account_function', 'site_function'] as const;
export type EventTargetKind = (typeof eventTargetKinds)[number];

/** Callers may send `agent` or `specialist` for an AI agent (settled question Q-A47). */
export const eventTargetWords = [...eventTargetKinds, 'specialist'] as const;
export type EventTargetWord = (typeof eventTargetWords)[number];

export function eventTargetKindOf(word: EventTargetWord): EventTargetKind {
  return word === 'specialist' ? 'agent' : word;
}

/** The rest of the product calls an AI agent `specialist`. */
export function targetKindFor(kind: EventTargetKind): TargetKind {
  return kind === 'agent' ? 'specialist' : kind;
}

const TriggerConfigShape = shapeOf('TriggerConfigShape', {
  installId: {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    optional: true,
    description: 'The app installation whose app.<name> events fire the trigger.',
  },
  params: {
    type: 'object',
    optional: true,
    description: 'Parameters passed to the target together with event and trigger. At most 8 KB of JSON.',
  },
});
export type TriggerConfig = InstanceType<typeof TriggerConfigShape>;

export const filtersText = 'Each { field, op, value }. All have to match. At most 20 filters and 16 KB of JSON.';

const fields = {
  name: text({ minLength: 1, maxLength: 200 })
    .initially('')
    .describe({ create: 'Default: a name made from the event and the target.' }),
  event: field(patternField).describe({
    sent: 'An event name, <source>.* for all events of a source, or * for all events.',
  }),
  filters: fieldOf<readonly TriggerFilter[]>()({ type: 'array', items: 'object' })
    .initially([])
    .describe({ create: filtersText, update: `${filtersText} [] removes all filters.` }),
  targetKind: fieldOf<EventTargetKind>()({ type: 'string', enum: eventTargetWords })
    .fixed()
    .storedAs(eventTargetKindOf)
    .shownAs({ type: 'string', enum: eventTargetKinds })
    .describe({
      create: '`specialist` is a synonym of `agent`. `site_function` is only accepted where it is enabled.',
    }),
  targetRef: id().fixed().describe({ create: 'Id of the flow, agent or function.' }),
  config: fieldOf<TriggerConfig>()({ type: 'object', shape: () => TriggerConfigShape })
    .initially({})
    .storedAs(withoutUndefined),
  isActive: boolean().folded(true),
};

const events = {
  /**
   * In the stream of a flow node's trigger, this event can also follow `EventTriggerRemoved`. The node then has a new
   * trigger.
   */
  created: 'EventTriggerAdded',
  changed: 'EventTriggerChanged',
  deleted: 'EventTriggerRemoved',
} as const;

export type SentTerms = UpdateInput<typeof fields>;

export type EventTriggerEvent =
  | NounEvents<typeof fields, typeof events>
  | DomainEvent<'EventTriggerActivated', object>
  | DomainEvent<'EventTriggerDeactivated', object>;

export interface EventTrigger extends RecordOf<typeof fields> {}

export const eventTriggers = noun<EventTrigger, EventTriggerEvent>()({
  kind: 'eventTrigger',
  fields,
  events,
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
  folds: {
    EventTriggerActivated: () => ({ isActive: true }),
    EventTriggerDeactivated: () => ({ isActive: false }),
  },
});

/** Recorded events are JSON, which has no undefined. */
function withoutUndefined({ installId, params }: TriggerConfig): TriggerConfig {
  return { ...(installId === undefined ? {} : { installId }), ...(params === undefined ? {} : { params }) };
}
