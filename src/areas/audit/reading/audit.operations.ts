import type { DiffRow } from '../../../engine/approvals/line-diff.js';
import { Operation } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';

const source = 'Supplementary, audit';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;

class PersonShape {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

export class ActorShape extends PersonShape {
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'object', shape: () => PersonShape, optional: true, description: 'For whom it acts.' })
  personBehind?: PersonShape;
  @Field({
    type: 'array',
    items: 'string',
    optional: true,
    description: 'Ids of other members who count as having done it.',
  })
  makers?: readonly string[];
}

class DoerShape extends PersonShape {
  @Field({ type: 'string' }) kind!: string;
}

class UndoneByShape {
  @Field({ type: 'integer' }) position!: number;
  @Field({ type: 'string', format: 'date-time' }) at!: string;
  @Field({ type: 'object', shape: () => DoerShape }) by!: DoerShape;
}

class ResourceShape {
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
}

export class AuditedEvent {
  @Field({ type: 'integer' }) position!: number;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) type!: string;
  @Field({ type: 'string', format: 'date-time' }) at!: string;
  @Field({ type: 'object', shape: () => ActorShape }) actor!: ActorShape;
  @Field({
    type: 'object',
    shape: () => ActorShape,
    optional: true,
    description: 'The person who approved a call that had to be asked for.',
  })
  approvedBy?: ActorShape;
  @Field({ type: 'string', optional: true, description: 'Why the caller asked for it, in their own words.' })
  reason?: string;
  @Field({ type: 'string', description: 'The operation, or the part of the service.' }) command!: string;
  @Field({ type: 'object', shape: () => ResourceShape }) resource!: ResourceShape;
  @Field({
    type: 'object',
    nullable: true,
    description:
      'As it was recorded. In lists, { leftOut, bytes, sha256 } stands for texts of more than 2,000 characters, and for data of more than 32 KB: getEvent answers them.',
  })
  data!: object | null;
  @Field({ type: 'string' }) correlationId!: string;
  @Field({ type: 'string', nullable: true }) causationId!: string | null;
  @Field({
    type: 'object',
    shape: () => UndoneByShape,
    optional: true,
    description: 'The event that undid it, unless that was undone in turn.',
  })
  undoneBy?: UndoneByShape;
}

class ListedEventShape extends AuditedEvent {
  @Field({ type: 'string', description: 'In words: the type or, in a history, what it changed.' }) summary!: string;
}

class ChangeShape {
  @Field({ type: 'string', description: '`a.b[0]`' }) path!: string;
  @Field({ type: 'any', description: 'null: nothing was there.' }) from!: unknown;
  @Field({ type: 'any', description: 'null: nothing is there.' }) to!: unknown;
}

class LineShape {
  @Field({ type: 'string', enum: ['same', 'removed', 'added', 'left-out'] }) kind!: string;
  @Field({ type: 'string', optional: true, description: 'Of a line.' }) text?: string;
  @Field({ type: 'integer', optional: true, description: 'Its number before, from 1.' }) before?: number;
  @Field({ type: 'integer', optional: true, description: 'Its number after, from 1.' }) after?: number;
  @Field({ type: 'integer', optional: true, description: 'Of left-out: so many lines are the same.' }) count?: number;
}

export class ChangedLinesShape {
  @Field({ type: 'string' }) path!: string;
  @Field({ type: 'integer' }) added!: number;
  @Field({ type: 'integer' }) removed!: number;
  @Field({ type: 'array', items: () => LineShape, description: 'With three lines around what went and came.' })
  rows!: readonly DiffRow[];
  @Field({ type: 'integer', optional: true, description: 'How many more there are.' }) rowsLeftOut?: number;
}

class HistoryEventShape extends ListedEventShape {
  @Field({ type: 'array', items: () => ChangeShape, description: 'The first fifty.' }) changes!: readonly ChangeShape[];
  @Field({ type: 'integer', optional: true, description: 'How many more there are.' }) changesLeftOut?: number;
  @Field({
    type: 'array',
    items: () => ChangedLinesShape,
    optional: true,
    description: 'Code, and other texts of several lines, that it changed.',
  })
  lines?: readonly ChangedLinesShape[];
}

const readable = 'A page ends at the limit or at about 1 MB.';

@Operation('audit/listEvents', {
  summary: 'Lists who changed what, newest first.',
  source,
  group: 'audit',
  effect: 'query',
  permission: 'workspace.read',
  tools: 'granted',
  answers: {
    fields: {
      events: { type: 'array', items: () => ListedEventShape },
      next: {
        type: 'integer',
        nullable: true,
        description: `Send it as before to get older ones; null at the end. ${readable}`,
      },
    },
  },
})
export class ListEvents {
  @Field({ ...id, optional: true, description: 'Resource kind, e.g. function.' }) kind?: string;
  @Field({ ...id, optional: true, description: 'Resource id.' }) id?: string;
  @Field({ ...id, optional: true }) actorId?: string;
  @Field({ type: 'array', items: 'string', maxItems: 50, optional: true, description: 'Event types.' })
  types?: string[];
  @Field({ type: 'string', format: 'date-time', optional: true, description: 'From this time on.' }) from?: string;
  @Field({ type: 'string', format: 'date-time', optional: true, description: 'Before this time.' }) to?: string;
  @Field({ type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 }) limit?: number;
  @Field({ type: 'integer', minimum: 0, optional: true, description: 'Only events before this position.' })
  before?: number;
}

const eventOrRun = {
  ...id,
  optional: true,
  description: 'One of eventId and runId; a mail that came in is named like an event, mail_….',
} as const;

export class EffectRecord {
  @Field({ type: 'string', enum: ['event', 'mail', 'run', 'skippedRun'] }) node!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string', nullable: true, description: 'The event or run that led to it.' }) causedBy!: string | null;
  @Field({ type: 'integer', description: 'Steps away from what was asked about.' }) step!: number;
  @Field({ type: 'string', format: 'date-time' }) at!: string;
  @Field({ type: 'string', description: 'The type of an event, the kind of what ran.' }) type!: string;
  @Field({ type: 'object', description: '{ kind, id, name? }' }) resource!: object;
  @Field({ type: 'string', nullable: true, description: 'Of a run.' }) status!: string | null;
  @Field({ type: 'integer', optional: true, description: 'Of an event of the audit: getEvent answers it.' })
  position?: number;
}

@Operation('audit/effectsOf', {
  summary:
    'Returns what an event, a mail that came in or a run led to, nearest first: events, runs, and runs that were skipped.',
  source: 'Supplementary, audit',
  group: 'audit',
  effect: 'query',
  permission: 'workspace.read',
  tools: 'granted',
  answers: {
    fields: {
      effects: { type: 'array', items: () => EffectRecord },
      cut: { type: 'boolean', description: 'There is more: ask again about one of the last.' },
    },
  },
})
export class EffectsOf {
  @Field(eventOrRun) eventId?: string;
  @Field(eventOrRun) runId?: string;
  @Field({ type: 'integer', minimum: 1, maximum: 1_000, optional: true, default: 200 }) limit?: number;
}

@Operation('audit/causesOf', {
  summary: 'Returns what led to an event or a run, nearest first, back to where the chain began.',
  source: 'Supplementary, audit',
  group: 'audit',
  effect: 'query',
  permission: 'workspace.read',
  tools: 'granted',
  answers: {
    fields: {
      causes: { type: 'array', items: () => EffectRecord },
      cut: { type: 'boolean', description: 'There is more: ask again about the last.' },
    },
  },
})
export class CausesOf {
  @Field(eventOrRun) eventId?: string;
  @Field(eventOrRun) runId?: string;
}

@Operation('audit/getHistory', {
  summary: 'Returns the events of one resource, oldest first, each with what it changed, in pages.',
  source,
  group: 'audit',
  effect: 'query',
  permission: 'workspace.read',
  tools: 'granted',
  answers: {
    fields: {
      events: { type: 'array', items: () => HistoryEventShape },
      next: {
        type: 'integer',
        nullable: true,
        description: `Send it as after to get later ones; null at the end. ${readable}`,
      },
    },
  },
})
export class GetHistory {
  @Field(id) kind!: string;
  @Field(id) id!: string;
  @Field({ type: 'integer', minimum: 1, maximum: 200, optional: true, default: 100 }) limit?: number;
  @Field({ type: 'integer', minimum: 0, optional: true, description: 'Only events after this position.' })
  after?: number;
}

@Operation('audit/getEvent', {
  summary: 'Returns one event whole, with the texts that lists leave out.',
  source,
  group: 'audit',
  effect: 'query',
  permission: 'workspace.read',
  tools: 'granted',
  answers: { record: AuditedEvent },
})
export class GetEvent {
  @Field({ type: 'integer', minimum: 0, description: 'As lists of events show it.' }) position!: number;
}
