import type { Permission } from '../callers/caller.js';
import type { Doors } from '../condition/opens-access.js';
import type { DomainEvent, Recorded } from '../event/event.js';
import type { TextPlace } from '../text/text.js';
import type { Belonging, OwnerFields } from './owners.js';
import type { Document, Where } from './projection.js';
import {
  type EventSentences,
  type Personal,
  type RecordAggregate,
  type RecordCollection,
  type RecordDefinition,
  record,
} from './record.js';
import type { RecordSecrets } from './secret-fate.js';
import type { UndoingOf } from './undoing.js';

type DataOf<Event extends DomainEvent, Type extends Event['type']> = Extract<Event, { type: Type }>['data'];
type RequiredKeys<Data> = { [Key in keyof Data]-?: object extends Pick<Data, Key> ? never : Key }[keyof Data];

type Dated = 'createdAt' | 'updatedAt';

type Defaults<Doc extends Document, Data> = Pick<Doc, Exclude<keyof Doc, keyof Document | Dated | RequiredKeys<Data>>>;

type Merging<Doc extends Document, Event extends DomainEvent> = {
  [Type in Event['type']]: DataOf<Event, Type> extends Partial<Doc>
    ? keyof DataOf<Event, Type> extends keyof Doc
      ? Type
      : never
    : never;
}[Event['type']];

type Beginning<Doc extends Document, Event extends DomainEvent, Type> = (
  event: Recorded<Extract<Event, { type: Type }>>,
) => Omit<Doc, keyof Document | Dated>;

export interface PlainRecord<Doc extends Document, Event extends DomainEvent> extends RecordAggregate<Doc, Event> {
  readonly collection: RecordCollection;
}

export type PlainRecordDefinition<
  Doc extends Document & { readonly createdAt: string },
  Event extends DomainEvent,
  First extends Event['type'] = Event['type'],
  Merged extends Merging<Doc, Event> = Merging<Doc, Event>,
  Last extends Event['type'] = Event['type'],
> = {
  readonly category: string;
  readonly auditedFor: Permission;
  readonly shownBy: RecordDefinition<Doc, Event, First>['shownBy'];
  readonly limited?: true | Where;
  readonly personal?: Personal<Event>;
  readonly inner?: readonly string[];
  readonly secrets?: RecordSecrets<Event>;
  readonly sentences?: EventSentences<Doc, Event>;
  readonly doors?: Doors<Doc>;
  readonly within?: false;
  readonly is?: 'project' | 'base';
  readonly of?: OwnerFields<Doc>;
  readonly undoing: UndoingOf<Doc>;
  readonly mustUnderstand?: readonly Event['type'][];
  missing(): never;
  readonly collection: RecordCollection;
  readonly texts?: readonly TextPlace<Doc>[];
  /**
   * For each event that begins a record, values for the fields that the event lacks, or a function that returns all
   * fields.
   */
  readonly begins: {
    readonly [Type in First]: Type extends Merging<Doc, Event>
      ? Defaults<Doc, DataOf<Event, Type>> | Beginning<Doc, Event, Type>
      : Beginning<Doc, Event, Type>;
  };
  /** Events whose data consists of new values for fields of the record. */
  readonly merges?: readonly Merged[];
  readonly ends: readonly Last[];
  /** For each other event type, a function that returns the changed fields. */
  readonly also: {
    readonly [Type in Exclude<Event['type'], First | Merged | Last>]: (
      record: Doc,
      event: Recorded<Extract<Event, { type: Type }>>,
    ) => Partial<Doc>;
  };
} & ('updatedAt' extends keyof Doc
  ? /** The record's `updatedAt` increases with every event, even within one millisecond. */
    { readonly updatedAt: true }
  : { readonly updatedAt?: false });

/**
 * Declares a record whose events contain the values of its fields. An event missing from the declaration, a field that
 * nothing fills, or a misspelt type does not compile.
 */
export function plainRecord<Doc extends Document & { readonly createdAt: string }, Event extends DomainEvent>() {
  return <First extends Event['type'], Last extends Event['type'], Merged extends Merging<Doc, Event> = never>(
    definition: PlainRecordDefinition<Doc, Event, First, Merged, Last> & Belonging<Doc>,
  ): PlainRecord<Doc, Event> => {
    const { begins: beginnings, merges: merged = [], ends: endings, also: changes, ...rest } = definition;
    const updatedAt = 'updatedAt' in definition && definition.updatedAt === true;
    const touched = (doc: Doc, at: string) => (updatedAt ? { updatedAt: later(doc, at) } : {});
    const begins = Object.entries(beginnings).map(([type, beginning]) => [
      type,
      (event: Recorded<DomainEvent>, ids: Document) => ({
        ...ids,
        ...fieldsAtFirst(beginning, event),
        createdAt: event.metadata.at,
        ...(updatedAt ? { updatedAt: event.metadata.at } : {}),
      }),
    ]);
    const merges = merged.map((type) => [
      type,
      (doc: Doc, { data, metadata }: Recorded<DomainEvent>) => ({ ...doc, ...data, ...touched(doc, metadata.at) }),
    ]);
    const also = Object.entries(changes).map(([type, change]) => [
      type,
      (doc: Doc, event: Recorded<DomainEvent>) => ({
        ...doc,
        ...(change as (record: Doc, event: Recorded<DomainEvent>) => Partial<Doc>)(doc, event),
        ...touched(doc, event.metadata.at),
      }),
    ]);
    const ends = endings.map((type) => [type, () => undefined]);
    const whole: RecordDefinition<Doc, Event, First> = {
      ...(rest as Omit<RecordDefinition<Doc, Event, First>, 'begins' | 'continues'>),
      begins: Object.fromEntries(begins) as unknown as RecordDefinition<Doc, Event, First>['begins'],
      continues: Object.fromEntries([...merges, ...also, ...ends]) as unknown as RecordDefinition<
        Doc,
        Event,
        First
      >['continues'],
    };
    const declared = record<Doc, Event>()<First>(whole as typeof whole & Belonging<Doc>);
    return { ...declared, collection: rest.collection };
  };
}

function fieldsAtFirst(beginning: unknown, event: Recorded<DomainEvent>): object {
  if (typeof beginning === 'function') return (beginning as (event: Recorded<DomainEvent>) => object)(event);
  return { ...(beginning as object), ...event.data };
}

function later(doc: object, at: string): string {
  const before = 'updatedAt' in doc ? String(doc.updatedAt) : '';
  return at > before ? at : new Date(Date.parse(before) + 1).toISOString();
}
