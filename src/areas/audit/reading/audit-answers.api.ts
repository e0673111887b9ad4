import type { DiffRow } from '../../../engine/approvals/line-diff.js';
import { Field } from '../../../kernel/field/field.js';

class PersonShape {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

class ActorShape extends PersonShape {
  @Field({ type: 'string' }) kind!: string;
  @Field({
    type: 'object',
    shape: () => PersonShape,
    optional: true,
    description: 'The person for whom the actor acts.',
  })
  personBehind?: PersonShape;
  @Field({
    type: 'array',
    items: 'string',
    optional: true,
    description: 'Ids of other members who count as authors of the change.',
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
    description: 'The person who approved the call, if it needed approval.',
  })
  approvedBy?: ActorShape;
  @Field({ type: 'string', optional: true, description: "Why the caller made the call, in the caller's words." })
  reason?: string;
  @Field({ type: 'string', description: 'The operation, or the part of the service, that recorded the event.' })
  command!: string;
  @Field({ type: 'object', shape: () => ResourceShape }) resource!: ResourceShape;
  @Field({
    type: 'object',
    nullable: true,
    description:
      'The recorded data. Lists replace texts longer than 2,000 characters, and data larger than 32 KB, with { leftOut, bytes, sha256 }; getEvent returns them in full.',
  })
  data!: object | null;
  @Field({ type: 'string' }) correlationId!: string;
  @Field({ type: 'string', nullable: true }) causationId!: string | null;
  @Field({
    type: 'object',
    shape: () => UndoneByShape,
    optional: true,
    description: 'The event that undid this one. Omitted if it has itself been undone.',
  })
  undoneBy?: UndoneByShape;
}

export class ListedEventShape extends AuditedEvent {
  @Field({ type: 'string', description: 'The event type in words. In a history, a description of what changed.' })
  summary!: string;
}

class ChangeShape {
  @Field({ type: 'string', description: 'Path of the value, for example `a.b[0]`.' }) path!: string;
  @Field({ type: 'any', description: 'null if there was no value before.' }) from!: unknown;
  @Field({ type: 'any', description: 'null if there is no value afterwards.' }) to!: unknown;
}

class LineShape {
  @Field({ type: 'string', enum: ['same', 'removed', 'added', 'left-out'] }) kind!: string;
  @Field({ type: 'string', optional: true, description: 'Text of the line. Omitted for left-out.' }) text?: string;
  @Field({ type: 'integer', optional: true, description: 'Line number before the change, starting at 1.' })
  before?: number;
  @Field({ type: 'integer', optional: true, description: 'Line number after the change, starting at 1.' })
  after?: number;
  @Field({
    type: 'integer',
    optional: true,
    description: 'Only for left-out: the number of unchanged lines that are omitted.',
  })
  count?: number;
}

export class ChangedLinesShape {
  @Field({ type: 'string' }) path!: string;
  @Field({ type: 'integer' }) added!: number;
  @Field({ type: 'integer' }) removed!: number;
  @Field({ type: 'array', items: () => LineShape, description: 'The changed lines, each with three lines of context.' })
  rows!: readonly DiffRow[];
  @Field({ type: 'integer', optional: true, description: 'Number of rows that are omitted.' }) rowsLeftOut?: number;
}

export class HistoryEventShape extends ListedEventShape {
  @Field({ type: 'array', items: () => ChangeShape, description: 'The first 50 changes.' })
  changes!: readonly ChangeShape[];
  @Field({ type: 'integer', optional: true, description: 'Number of changes that are omitted.' })
  changesLeftOut?: number;
  @Field({
    type: 'array',
    items: () => ChangedLinesShape,
    optional: true,
    description: 'Line-by-line differences of code and other multi-line texts.',
  })
  lines?: readonly ChangedLinesShape[];
}

export class EffectRecord {
  @Field({ type: 'string', enum: ['event', 'mail', 'run', 'skippedRun'] }) node!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({
    type: 'string',
    nullable: true,
    description: 'Id of the event or run that directly caused this one. null if there is none.',
  })
  causedBy!: string | null;
  @Field({ type: 'integer', description: 'Distance in steps from the event or run in the request.' }) step!: number;
  @Field({ type: 'string', format: 'date-time' }) at!: string;
  @Field({ type: 'string', description: 'For an event, its type. For a run, the kind of target.' }) type!: string;
  @Field({ type: 'object', description: 'The affected resource: { kind, id, name? }.' }) resource!: object;
  @Field({
    type: 'string',
    nullable: true,
    description: 'Status of a run, or the reason why a run was skipped. null for events and emails.',
  })
  status!: string | null;
  @Field({
    type: 'integer',
    optional: true,
    description: 'Position for getEvent. Omitted if the audit does not contain the event.',
  })
  position?: number;
}
