import { isDeepStrictEqual } from 'node:util';
import type { DomainEvent, Recorded } from '../event/event.js';
import type { Belonging } from '../record/owners.js';
import { type PlainRecord, type PlainRecordDefinition, plainRecord } from '../record/plain-record.js';
import type { Document } from '../record/projection.js';
import type { UndoingOf } from '../record/undoing.js';
import { sameText, type Text } from '../text/text.js';
import { type AnyField, is, type NounFields } from './noun-field.js';
import type { Beginning, ChangedData, KeysOf, NounEventNames, NounEvents, RemarksOf } from './noun-types.js';

type Of<Event extends DomainEvent, Type> = Recorded<Extract<Event, { readonly type: Type }>>;
type NamesOf<Names> = Names[keyof Names];

type Dated = Document & { readonly createdAt: string };

/**
 * A fold returns changes to the record beyond the fields in the event's data. Folds are required for the noun's own
 * events, and optional for the standard events.
 */
type Folds<Doc extends Document, Event extends DomainEvent, Names extends NounEventNames> = {
  readonly [Type in Exclude<Event['type'], NamesOf<Names>>]: (record: Doc, event: Of<Event, Type>) => Partial<Doc>;
} & {
  readonly [Type in Extract<Event['type'], Names['created'] | Names['changed']>]?: (
    record: Doc,
    event: Of<Event, Type>,
  ) => Partial<Doc>;
};

type Declared<Doc extends Dated, Event extends DomainEvent, Fields, Names extends NounEventNames> = Pick<
  PlainRecordDefinition<Doc, Event>,
  | 'auditedFor'
  | 'shownBy'
  | 'limited'
  | 'within'
  | 'is'
  | 'of'
  | 'sentences'
  | 'doors'
  | 'secrets'
  | 'undoing'
  | 'mustUnderstand'
  | 'missing'
  | 'collection'
> & {
  readonly kind: string;
  readonly fields: Fields;
  /** Event names are literals and not derived, so that a text search for an event finds this declaration. */
  readonly events: Names;
  /** The noun's own events that end the record, apart from `events.deleted`. */
  readonly ends?: readonly Exclude<Event['type'], NamesOf<Names>>[];
} & ([Exclude<Event['type'], NamesOf<Names>>] extends [never]
    ? { readonly folds?: Folds<Doc, Event, Names> }
    : { readonly folds: Folds<Doc, Event, Names> }) &
  ('updatedAt' extends keyof Doc ? { readonly updatedAt: true } : { readonly updatedAt?: never }) &
  Belonging<Doc>;

export interface Noun<
  Doc extends Document,
  Event extends DomainEvent,
  Fields extends NounFields,
  Names extends NounEventNames,
> extends PlainRecord<Doc, Event> {
  readonly fields: Fields;
  readonly names: Names;
  created(data: Beginning<Fields>): readonly NounEvents<Fields, Names>[];
  /** The event contains only the sent fields that differ, if any. Undefined is treated as not sent. */
  changed(before: Doc, sent: Sendable<ChangedData<Fields>>): readonly NounEvents<Fields, Names>[];
  deleted(before: Doc, remarks?: RemarksOf<Fields>): readonly NounEvents<Fields, Names>[];
  /** @throws Refusal invalid-input */
  normalise<Sent extends object>(sent: Sent): Sent;
  keysOf(record: Doc): KeysOf<Fields>;
}

type Sendable<Data> = { readonly [Name in keyof Data]?: Data[Name] | undefined };

export type AnyNoun = Noun<Document, DomainEvent, NounFields, NounEventNames>;

const registry = new Map<string, AnyNoun>();

export const allNouns = (): readonly AnyNoun[] => [...registry.values()];

/** A misspelt field, an event without a fold or a missing option does not compile. */
export function noun<Doc extends Dated, Event extends DomainEvent>() {
  return <const Fields extends NounFields, const Names extends NounEventNames>(
    declared: Declared<Doc, Event, Fields, Names>,
  ): Noun<Doc, Event, Fields, Names> => {
    const { kind, fields, events: names } = declared;
    const all = Object.entries(fields);
    const keys = all.filter(([, field]) => is(field, 'key')).map(([name]) => name);
    const owners = all.filter(([, field]) => is(field, 'key') || is(field, 'owner')).map(([name]) => name);
    const keysOf = (record: object) => picked(record, keys) as unknown as KeysOf<Fields>;
    const record = plainRecord<Dated, DomainEvent>()(
      definitionOf(declared as unknown as Loose, all),
    ) as unknown as PlainRecord<Doc, Event>;
    const made: Noun<Doc, Event, Fields, Names> = {
      ...record,
      fields,
      names,
      keysOf,
      normalise: (sent) => normalisedOf(fields, sent),
      created: (data) => events(names.created, withDefaults(all, data, 'folded')),
      changed: (before, sent) => {
        const differs = differing(all, before, sent);
        if (Object.keys(differs).length === 0) return [];
        return events(names.changed, { ...picked(before, keys), ...differs, ...remarksOf(all, sent) });
      },
      deleted: (before, remarks = {}) =>
        events(names.deleted, { ...picked(before, owners), ...remarksOf(all, remarks) }),
    };
    registry.set(kind, made as unknown as AnyNoun);
    return made;

    function events(type: string | undefined, data: object) {
      if (type === undefined) throw new Error(`The noun ${kind} has no such event; add its name to \`events\`.`);
      return [{ type, data }] as unknown as readonly NounEvents<Fields, Names>[];
    }
  };
}

type Named = readonly (readonly [string, AnyField])[];

interface Loose {
  readonly kind: string;
  readonly fields: NounFields;
  readonly events: NounEventNames;
  readonly folds?: Readonly<Record<string, (record: object, event: Recorded<DomainEvent>) => object>>;
  readonly ends?: readonly string[];
  readonly updatedAt?: true;
  readonly undoing: UndoingOf<Document>;
}

function definitionOf(
  { kind, fields: _, events: { created, changed, deleted }, folds = {}, ends = [], updatedAt, undoing, ...rest }: Loose,
  all: Named,
) {
  const remarks = Object.keys(remarksOf(all, {}));
  const factsOf = ({ data }: Recorded<DomainEvent>) =>
    remarks.length === 0 ? data : Object.fromEntries(Object.entries(data).filter(([name]) => !remarks.includes(name)));
  const folded = (type: string, record: object, event: Recorded<DomainEvent>) => ({
    ...record,
    ...folds[type]?.(record, event),
  });
  const recorded = all.filter(([, field]) => !is(field, 'remark'));
  const own = Object.keys(folds).filter((type) => type !== created && type !== changed);
  return {
    ...rest,
    category: kind,
    undoing: withLater(undoing, all),
    ...marks(all),
    ...(updatedAt && { updatedAt }),
    begins: {
      [created]: (event: Recorded<DomainEvent>) => folded(created, withDefaults(recorded, factsOf(event)), event),
    },
    ends: [...(deleted === undefined ? [] : [deleted]), ...ends],
    also: {
      ...(changed !== undefined && {
        [changed]: (record: object, event: Recorded<DomainEvent>) =>
          folded(changed, { ...record, ...factsOf(event) }, event),
      }),
      ...Object.fromEntries(own.map((type) => [type, folds[type]])),
    },
  } as unknown as PlainRecordDefinition<Dated, DomainEvent>;
}

function withLater(undoing: UndoingOf<Document>, all: Named): UndoingOf<Document> {
  if (typeof undoing === 'string' || undoing.returns === undefined) return undoing;
  const later = Object.fromEntries(
    all.flatMap(([name, field]) => (is(field, 'later') ? [[name, field.made.initial]] : [])),
  );
  return { ...undoing, returns: { ...undoing.returns, later: { ...later, ...undoing.returns.later } } };
}

function marks(all: Named) {
  const namesWhere = (marked: (field: AnyField) => boolean) =>
    all.filter(([, one]) => marked(one)).map(([name]) => name);
  const inner = namesWhere(({ made }) => made.isInner);
  const texts = namesWhere(({ made }) => made.isText);
  const personal = all.flatMap(([name, { made }]) => (made.erased === undefined ? [] : [[name, made.erased] as const]));
  return {
    ...(inner.length > 0 && { inner }),
    ...(texts.length > 0 && { texts }),
    ...(personal.length > 0 && { personal: Object.fromEntries(personal) }),
  };
}

function differing(all: Named, now: object, sent: object): object {
  const fields = new Map(all);
  const differs = Object.entries(sent).filter(([name, value]) => {
    const field = fields.get(name);
    if (value === undefined || (field !== undefined && is(field, 'remark'))) return false;
    const before: unknown = now[name as keyof typeof now];
    const isText = field?.made.isText && value !== null && before !== null;
    return isText ? !sameText(value as Text, before as Text) : !isDeepStrictEqual(value, before);
  });
  return Object.fromEntries(differs);
}

const remarksOf = (all: Named, sent: object) =>
  Object.fromEntries(
    all.flatMap(([name, field]) => (is(field, 'remark') ? [[name, sent[name as keyof typeof sent] ?? null]] : [])),
  );

/** Fields are in the order of declaration, so that sentences about a record list them in that order. */
function withDefaults(all: Named, data: object, left?: 'folded'): object {
  const members = all
    .filter(([, field]) => left === undefined || !is(field, left))
    .map(([name, { made }]) => {
      const value = Object.hasOwn(data, name) ? data[name as keyof typeof data] : undefined;
      return [name, value === undefined ? made.initial : value] as const;
    });
  return { ...Object.fromEntries(members.filter(([, value]) => value !== undefined)), ...defined(data) };
}

function normalisedOf<Sent extends object>(fields: NounFields, sent: Sent): Sent {
  const members = Object.entries(sent).map(([name, value]) => {
    const form = Object.hasOwn(fields, name) ? fields[name]?.made.toStored : undefined;
    const isGiven = form !== undefined && value !== undefined && value !== null;
    return [name, isGiven ? form(value as never, name) : value];
  });
  return Object.fromEntries(members) as Sent;
}

const defined = (data: object) => Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));

const picked = (record: object, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, record[name as keyof typeof record]]));
