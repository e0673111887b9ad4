import type { DiffRow } from '../../../engine/approvals/line-diff.js';
import { Field } from '../../../kernel/field/field.js';

class PersonShape {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

class ActorShape extends PersonShape {
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

export class ListedEventShape extends AuditedEvent {
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
  @Field({ type: 'integer', optional: true, description: 'How many more there are.' }) rowsLeftOut?: number;
}

export class HistoryEventShape extends ListedEventShape {
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
