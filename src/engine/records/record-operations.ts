import type { Type } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import type { PlainRecord } from '../../kernel/record/plain-record.js';
import type { Document, Where } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import { inProject, type Reservation } from '../commands/reservation.js';
import type { WantedName } from '../commands/reservation-requests.js';
import { takesAgain } from '../commands/returning-names.js';
import type { Call } from '../operation/call.js';
import { shown } from '../operation/shown.js';
import type { Reads } from '../scopes/reads.js';
import { showsFields } from './record-views.js';
import { answers, decides, type Rule } from './rule.js';

/** A field by which a record is unique in its workspace or, where it says so, in its project. */
export interface UniqueField<Doc> {
  /** Made by `uniqueName`. */
  readonly name: (name: string, holder: string) => Reservation;
  readonly field: keyof Doc & string;
  /** What `uniqueName` makes the name of is `inProject`. */
  readonly in?: Doc extends { readonly projectId: string } ? 'project' : never;
  /** Refuses a name that another record goes by. */
  taken(name: string): never;
}

interface Shows<Answer extends object> {
  /** The answer is the fields of this class. */
  readonly shows: new () => Answer;
}

interface ShowsRecord<Doc extends Document, Answer extends object> extends Shows<Answer> {
  /** What the answer says beside the fields of the record. */
  beside?(record: Doc): Partial<Answer>;
}

export interface Creates<Input, Doc extends Document, Event extends DomainEvent, Answer extends object>
  extends ShowsRecord<Doc, Answer> {
  /** Ids are `<prefix>_…`. */
  readonly prefix: string;
  decide(input: Input, call: Call): readonly NoInfer<Event>[];
  readonly unique?: UniqueField<Doc>;
}

/** A command that makes a record and answers it. */
export function creates<Input extends object, Doc extends Document, Event extends DomainEvent, Answer extends object>(
  input: Type<Input>,
  record: RecordAggregate<Doc, Event>,
  { prefix, decide, unique, ...answer }: Creates<NoInfer<Input>, Doc, Event, Answer>,
): Type<object> {
  showsFields(record, answer.shows, 'command');
  if (unique !== undefined) {
    takesAgain(record, (back) => [wantedName(record, unique, back, String(back[unique.field]), back)]);
  }
  return decides<Input, Doc | undefined, Event>(input, {
    aggregate: record,
    id: (_, call) => call.newId(prefix),
    begins: true,
    decide: (_, sent, call) => decide(sent, call),
    ...reserving(record, unique),
    answer: (after) => recordShown(answer, after ?? record.missing()),
  });
}

export interface Updates<Input, Doc extends Document, Event extends DomainEvent, Answer extends object>
  extends ShowsRecord<Doc, Answer> {
  /** Records what differs from the record and nothing else. */
  decide(before: Doc, input: Input, call: Call): readonly NoInfer<Event>[];
  readonly unique?: UniqueField<Doc>;
}

/** A command that changes what is sent of a record and answers the record. */
export function updates<
  Input extends { readonly id: string },
  Doc extends Document,
  Event extends DomainEvent,
  Answer extends object,
>(
  input: Type<Input>,
  record: RecordAggregate<Doc, Event>,
  { decide, unique, ...answer }: Updates<NoInfer<Input>, Doc, Event, Answer>,
): Type<object> {
  showsFields(record, answer.shows, 'command');
  return decides<Input, Doc | undefined, Event>(input, {
    aggregate: record,
    id: ({ id }) => id,
    decide: (before, sent, call) => decide(before ?? record.missing(), sent, call),
    ...reserving(record, unique),
    answer: (after) => recordShown(answer, after ?? record.missing()),
  });
}

/** A command that ends a record, or does something to it that is answered by `{ success: true }`. */
export function changes<Input extends { readonly id: string }, Doc extends Document, Event extends DomainEvent>(
  input: Type<Input>,
  record: RecordAggregate<Doc, Event>,
  decide: (before: Doc, input: NoInfer<Input>, call: Call) => readonly NoInfer<Event>[],
): Type<object> {
  return decides<Input, Doc | undefined, Event>(input, {
    aggregate: record,
    id: ({ id }) => id,
    decide: (before, sent, call) => decide(before ?? record.missing(), sent, call),
  });
}

/** A query for one record. */
export function gets<
  Input extends { readonly id: string },
  Doc extends Document,
  Event extends DomainEvent,
  Answer extends object,
>(input: Type<Input>, record: PlainRecord<Doc, Event>, shows: new () => Answer): Type<object> {
  showsFields(record, shows, 'get');
  return answers(input, async (reads, { id }, call) => shown(shows, await reads.one(call, record, id)));
}

export interface Lists<Input, Answer extends object> extends Shows<Answer> {
  where?(input: Input): Where;
  /** Default: oldest first. */
  readonly newestFirst?: true;
  /** The member of the answer that holds the list; left out, the answer is the list. */
  readonly as?: string;
}

/** A query for all records of a kind that a workspace keeps few of. */
export function lists<Input extends object, Doc extends Document, Event extends DomainEvent, Answer extends object>(
  input: Type<Input>,
  record: PlainRecord<Doc, Event>,
  { where, newestFirst, as, shows }: Lists<NoInfer<Input>, Answer>,
): Type<object> {
  showsFields(record, shows, 'list');
  return answers(input, async (reads, sent, { workspaceId }) => {
    const found = await reads.find<Doc>(workspaceId, record.collection.name, {
      ...(where === undefined ? {} : { where: where(sent) }),
      sort: [['createdAt', newestFirst ? 'desc' : 'asc']],
    });
    const list = found.map((one) => shown(shows, one));
    return as === undefined ? list : { [as]: list };
  });
}

/** How one asks for a page of a long list: so many, before the one whose id is `before`. */
export interface PageInput {
  readonly limit?: number;
  readonly before?: string;
}

export interface Pages<Doc> {
  readonly where?: Where;
  /** What the list is ordered by, newest first; ids break ties. */
  readonly by: keyof Doc & ('createdAt' | 'position');
  /** Refuses a `before` that names nothing, or nothing of this list. */
  missing(): never;
  belongs?(record: Doc): boolean;
}

export const defaultPage = 50;

/** One page of a long list, newest first. */
export async function newestFirst<Doc extends Document>(
  reads: Reads,
  workspaceId: string,
  collection: string,
  { limit = defaultPage, before }: PageInput,
  { where = {}, by, missing, belongs = () => true }: Pages<Doc>,
): Promise<readonly Doc[]> {
  const older = before === undefined ? undefined : await reads.get<Doc>(workspaceId, collection, before);
  if (before !== undefined && (older === undefined || !belongs(older))) return missing();
  return reads.find<Doc>(workspaceId, collection, {
    where,
    sort: [[by, 'desc']],
    limit,
    ...(older === undefined ? {} : { after: [older[by] as string | number, older.id] }),
  });
}

function recordShown<Doc extends Document, Answer extends object>(
  { shows, beside }: ShowsRecord<Doc, Answer>,
  record: Doc,
): Answer {
  return shown(shows, { ...record, ...beside?.(record) });
}

function reserving<Input extends object, Doc extends Document, Event extends DomainEvent>(
  record: RecordAggregate<Doc, Event>,
  unique: UniqueField<Doc> | undefined,
): Pick<Rule<Input, Doc | undefined, Event>, 'reserves'> {
  if (unique === undefined) return {};
  return {
    reserves: (input, { workspaceId }, id, before) => {
      const wanted = (input as Readonly<Record<string, unknown>>)[unique.field];
      if (typeof wanted !== 'string' || wanted === before?.[unique.field]) return [];
      return [wantedName(record, unique, { workspaceId, id }, wanted, before ?? input)];
    },
  };
}

function wantedName<Doc extends Document, Event extends DomainEvent>(
  { category }: RecordAggregate<Doc, Event>,
  unique: UniqueField<Doc>,
  { workspaceId, id }: Document,
  wanted: string,
  inWhich: object,
): WantedName {
  const name = unique.in === 'project' ? inProject(projectOf(inWhich), wanted) : wanted;
  return { reservation: unique.name(name, streamOf(category, workspaceId, id)), taken: () => unique.taken(wanted) };
}

const projectOf = (record: object) => String((record as { readonly projectId?: string }).projectId);
