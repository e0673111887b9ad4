import type { Permission } from '../callers/caller.js';
import type { DomainEvent, Recorded, RecordedEvent } from '../event/event.js';
import { declarePersonal, type ErasedTexts } from '../event/personal-data.js';
import { parseStream } from '../event/stream-name.js';
import type { TextPlace } from '../text/text.js';
import type { Aggregate } from './aggregate.js';
import type { Belonging, OwnedKind, OwnerFields } from './owners.js';
import { type Document, type Index, type Projection, put, step, type Where } from './projection.js';
import { type HeldSecrets, heldSecrets, type RecordSecrets } from './secret-fate.js';
import { declareKind, withNeeds, withoutNeeds } from './understanding.js';
import type { UndoingOf } from './undoing.js';

/** The read model that holds every record of a kind. Raise `version` when the meaning of a document changes. */
export interface Collection {
  readonly name: string;
  readonly version: number;
  readonly indexes: readonly Index[];
  /** See `Projection`. */
  readonly opens?: true;
}

/** `<area>/<operation>`. */
type OperationName = `${string}/${string}`;

/** Fields of any of these events' data. */
type FieldOf<Event extends DomainEvent> = Event extends DomainEvent<string, infer Data> ? keyof Data & string : never;

/** Personal fields, each with what is shown in its place after it was erased: a text, or null for other values. */
export type Personal<Event extends DomainEvent> = { readonly [Field in FieldOf<Event>]?: string | null };

type Of<Event extends DomainEvent, Type extends Event['type']> = Recorded<Extract<Event, { type: Type }>>;

/** One plain sentence without its full stop, made of the record as the event left it. */
export type Says<Doc extends Document, Event extends DomainEvent> = {
  readonly [Type in Event['type']]?: (record: Doc, event: Of<Event, Type>) => string;
};

/**
 * An aggregate that is one record: it begins with one event, and its state is the record, or undefined before it begins
 * and after it ends. The write side, the read model and the audit use the same fold.
 */
export interface RecordAggregate<Doc extends Document, Event extends DomainEvent>
  extends Aggregate<Doc | undefined, Event> {
  readonly types: readonly Event['type'][];
  /** Those with which a record begins. */
  readonly firstTypes: readonly Event['type'][];
  readonly auditedFor: Permission;
  readonly shownBy: OperationName | null;
  readonly limited: Where | undefined;
  /** Its states carry personal data, sealed. */
  readonly personal: boolean;
  readonly undoing: UndoingOf<Document>;
  /** Names of members, at any depth, that are shown to nobody: names of vault entries, digests that look something up. */
  readonly inner?: readonly string[];
  /** Left out: its events name no secrets. */
  readonly secrets?: HeldSecrets;
  /** What an event did, in a sentence, where the declaration says it. `after`: the record that it left. */
  says?(event: RecordedEvent, after: Document): string | undefined;
  /** The owners that it is deleted with. */
  readonly of?: OwnedKind['of'];
  /** Left out: its read model is declared elsewhere. */
  readonly collection?: Collection;
  /** The record that this event begins; undefined when it is not one that begins. */
  begin(event: Recorded<Event>): Doc | undefined;
}

export interface RecordDefinition<Doc extends Document, Event extends DomainEvent, First extends Event['type']> {
  readonly category: string;
  /** The permission needed to see these records, and so to read their history in the audit. */
  readonly auditedFor: Permission;
  /**
   * The operation that shows such a record: an agent whom the record's project refuses it does not read the record's history
   * either. null: there is none, so that only agents read it to whom the project is wholly open.
   */
  readonly shownBy: OperationName | null;
  /** A workspace may have only so many, because they are listed whole. */
  readonly limited?: true | Where;
  /**
   * A record that is deleted with its project is there only while the project is, and is kept from agents as the project is.
   * false: it is neither.
   */
  readonly within?: false;
  /** The record is itself a project. */
  readonly is?: 'project';
  /** The owners that it is deleted with. */
  readonly of?: OwnerFields<Doc>;
  readonly collection?: Collection;
  /**
   * The fields that hold texts, of the record and of the data of its events alike: `['code', 'draft.code']`. Where they
   * are large they are recorded by reference, and each is kept once (`ports/texts`).
   */
  readonly texts?: readonly TextPlace<Doc>[];
  /**
   * Personal fields of its events and, under the same names, of its documents. They are sealed under a key of this one
   * record: nothing can be looked up or sorted by them.
   */
  readonly personal?: Personal<Event>;
  /** Names of members, at any depth, that are shown to nobody: names of vault entries, digests that look something up. */
  readonly inner?: readonly string[];
  /** Its events name secrets that the vault holds. Their members stand in `inner` as well. */
  readonly secrets?: RecordSecrets<Event>;
  /** What an event did, for the audit, where its type and what it changed do not say it. Without personal data. */
  readonly says?: Says<Doc, Event>;
  /** How changes are undone (`audit/undoChange`). */
  readonly undoing: UndoingOf<Doc>;
  /**
   * Events that an older version must not pass over, because it would destroy something or let in somebody whom they keep
   * out. Each begins with a raised version of the read model.
   */
  readonly mustUnderstand?: readonly Event['type'][];
  missing(): never;
  readonly begins: { readonly [Type in First]: (event: Of<Event, Type>, ids: Document) => Doc };
  /** For later events: the next record, or undefined when the event ends it. */
  readonly continues: {
    readonly [Type in Exclude<Event['type'], First>]: (record: Doc, event: Of<Event, Type>) => Doc | undefined;
  };
}

const registry = new Map<string, RecordAggregate<Document, DomainEvent>>();

export function record<Doc extends Document, Event extends DomainEvent>() {
  return <First extends Event['type']>(
    definition: RecordDefinition<Doc, Event, First> & Belonging<Doc>,
  ): RecordAggregate<Doc, Event> => {
    const { undoing } = definition;
    const begins = {
      ...definition.begins,
      ...(typeof undoing === 'object' &&
        undoing.returns !== undefined && { [undoing.returns.type]: returned<Doc>(undoing.returns.later) }),
    } as Readonly<Record<string, ((event: never, ids: Document) => Doc) | undefined>>;
    const continues = definition.continues as Readonly<
      Record<string, ((record: Doc, event: never) => Doc | undefined) | undefined>
    >;
    const says = (definition.says ?? {}) as Readonly<
      Record<string, (record: Document, event: RecordedEvent) => string>
    >;
    const begin = (event: RecordedEvent): Doc | undefined => {
      const beginning = begins[event.type];
      if (beginning === undefined) return undefined;
      const { workspaceId, id } = parseStream(event.stream);
      return beginning(event as never, { workspaceId, id });
    };
    const aggregate: RecordAggregate<Doc, Event> = {
      category: definition.category,
      auditedFor: definition.auditedFor,
      shownBy: definition.shownBy,
      limited: definition.limited === true ? {} : definition.limited,
      personal: definition.personal !== undefined,
      ...(definition.inner === undefined ? {} : { inner: definition.inner }),
      ...(definition.secrets === undefined ? {} : { secrets: heldSecrets(definition.secrets) }),
      says: (event, after) => says[event.type]?.(after, event),
      undoing: undoing as UndoingOf<Document>,
      within: definition.of?.project && definition.within !== false ? 'project' : undefined,
      is: definition.is,
      of: definition.of,
      ...(definition.collection === undefined ? {} : { collection: definition.collection }),
      ...(definition.texts === undefined ? {} : { texts: definition.texts }),
      initial: undefined,
      missing: definition.missing,
      exists: (state) => state !== undefined,
      types: [...Object.keys(begins), ...Object.keys(continues)],
      firstTypes: Object.keys(begins),
      begin,
      evolve: (state, event) => {
        const begun = begin(event);
        if (begun !== undefined || state === undefined) return begun;
        const next = continues[event.type];
        // A newer version of the service may have recorded an event that this version does not know.
        return next === undefined ? state : next(state, event as never);
      },
    };
    if (definition.personal !== undefined) declarePersonal(definition.category, definition.personal as ErasedTexts);
    declareKind(definition.category, aggregate.types, definition.mustUnderstand);
    registry.set(definition.category, aggregate as unknown as RecordAggregate<Document, DomainEvent>);
    return aggregate;
  };
}

/** The record that an event brings back: its data are the record's fields. */
const returned =
  <Doc extends Document>(later: Partial<Doc> = {}) =>
  ({ data: { restores: _, ...fields } }: Recorded<Returned>, ids: Document): Doc =>
    ({ ...later, ...fields, ...ids }) as unknown as Doc;

type Returned = DomainEvent<string, { readonly restores: string }>;

/** The stream categories of all record kinds. */
export function recordCategories(): readonly string[] {
  return [...registry.keys()];
}

/** The record kind of this stream category, for the audit. */
export function recordKind(category: string): RecordAggregate<Document, DomainEvent> | undefined {
  return registry.get(category);
}

/** The types of all events that name secrets. */
export function secretTypes(): readonly string[] {
  return [...new Set([...registry.values()].flatMap(({ secrets }) => secrets?.types ?? []))];
}

/** The read model with the current state of every record of a kind. */
export function recordsProjection<Doc extends Document, Event extends DomainEvent>(
  aggregate: RecordAggregate<Doc, Event>,
  { name, version, indexes, opens }: Collection,
): Projection {
  return {
    name,
    version,
    collections: { [name]: { indexes } },
    reads: { types: aggregate.types },
    recordsOf: aggregate.category,
    ...(opens && { opens }),
    changes: (event: RecordedEvent) => {
      // Another kind of record may have events of the same types: functions of sites and of the workspace do.
      if (!event.stream.startsWith(`${aggregate.category}-`)) return [];
      const recorded = event as unknown as Recorded<Event>;
      const begun = aggregate.begin(recorded);
      if (begun !== undefined) return [put(name, withNeeds(begun, undefined, event))];
      return [
        step<Doc>(name, parseStream(event.stream).id, (document) => {
          const before = document && withoutNeeds(document);
          const after = aggregate.evolve(before, recorded);
          if (after === before && event.metadata.mustUnderstand !== true) return document;
          return after && withNeeds(after, document, event);
        }),
      ];
    },
  };
}
