import type { Permission } from '../callers/caller.js';
import { type Doors, opensDoor } from '../condition/opens-access.js';
import type { DomainEvent, Recorded, RecordedEvent } from '../event/event.js';
import { declarePersonal, type ErasedTexts } from '../event/personal-data.js';
import { parseStream } from '../event/stream-name.js';
import type { TextPlace } from '../text/text.js';
import type { Aggregate } from './aggregate.js';
import type { Belonging, OwnedKind, OwnerFields } from './owners.js';
import { type Document, type Index, type Projection, put, step, type Where } from './projection.js';
import { type DeclaredSecrets, declaredSecrets, type RecordSecrets } from './secret-fate.js';
import { declareKind, withNeeds, withoutNeeds } from './understanding.js';
import type { UndoingOf } from './undoing.js';

/** Raise `version` when the meaning of a document changes. */
export interface RecordCollection {
  readonly name: string;
  readonly version: number;
  readonly indexes: readonly Index[];
  readonly opens?: true;
}

type OperationName = `${string}/${string}`;

type FieldOf<Event extends DomainEvent> = Event extends DomainEvent<string, infer Data> ? keyof Data & string : never;

/** Personal fields, each with the value that is shown once the record's key is destroyed. */
export type Personal<Event extends DomainEvent> = { readonly [Field in FieldOf<Event>]?: string | null };

type Of<Event extends DomainEvent, Type extends Event['type']> = Recorded<Extract<Event, { type: Type }>>;

export type EventSentences<Doc extends Document, Event extends DomainEvent> = {
  readonly [Type in Event['type']]?: (record: Doc, event: Of<Event, Type>) => string;
};

/**
 * An aggregate that is one record: undefined before its first event and after its last. The write side, the read model
 * and the audit use the same fold.
 */
export interface RecordAggregate<Doc extends Document, Event extends DomainEvent>
  extends Aggregate<Doc | undefined, Event> {
  readonly types: readonly Event['type'][];
  readonly firstTypes: readonly Event['type'][];
  readonly auditedFor: Permission;
  readonly shownBy: OperationName | null;
  readonly limited: Where | undefined;
  readonly personal: boolean;
  readonly undoing: UndoingOf<Document>;
  /** Members, at any depth, that are never shown: names of vault entries, and digests for lookups. */
  readonly inner?: readonly string[];
  readonly secrets?: DeclaredSecrets;
  sentenceOf?(event: RecordedEvent, after: Document): string | undefined;
  readonly of?: OwnedKind['of'];
  readonly collection?: RecordCollection;
  begin(event: Recorded<Event>): Doc | undefined;
}

export interface RecordDefinition<Doc extends Document, Event extends DomainEvent, First extends Event['type']> {
  readonly category: string;
  /** The permission needed to see these records, and therefore to read their history in the audit. */
  readonly auditedFor: Permission;
  /**
   * The operation that shows such a record. An agent that may not use this operation in a project may not read the
   * record's history either. If null, an agent needs full access to the project to read the history.
   */
  readonly shownBy: OperationName | null;
  /**
   * If set, the number of such records in a workspace is limited, because their lists are not paged. With a filter,
   * only records that match it are counted.
   */
  readonly limited?: true | Where;
  /**
   * By default, a record whose owner is a project is available only while the project exists, and to agents only with
   * the project's permission. If false, neither restriction applies.
   */
  readonly within?: false;
  /**
   * Set if other records belong to records of this kind. Access to a project or base determines access to its records.
   */
  readonly is?: 'project' | 'base';
  readonly of?: OwnerFields<Doc>;
  readonly collection?: RecordCollection;
  /**
   * Paths of the texts in the record and in the data of its events: `['code', 'draft.code']`. Large texts are recorded
   * by reference.
   */
  readonly texts?: readonly TextPlace<Doc>[];
  /**
   * Personal fields of the events and, under the same names, of the documents. They are encrypted with a key of this
   * one record, so records cannot be looked up or sorted by them.
   */
  readonly personal?: Personal<Event>;
  /** Members, at any depth, that are never shown: names of vault entries, and digests for lookups. */
  readonly inner?: readonly string[];
  /** Secrets in the vault to which the events refer. Their members must also be in `inner`. */
  readonly secrets?: RecordSecrets<Event>;
  readonly sentences?: EventSentences<Doc, Event>;
  /** Set if conditions in the record decide who gets in. */
  readonly doors?: Doors<Doc>;
  readonly undoing: UndoingOf<Doc>;
  /**
   * Types of events that an older version must not skip, because it would then destroy something, or give access to
   * someone whom the event excludes. Adding a type requires raising the version of the read model.
   */
  readonly mustUnderstand?: readonly Event['type'][];
  missing(): never;
  readonly begins: { readonly [Type in First]: (event: Of<Event, Type>, ids: Document) => Doc };
  readonly continues: {
    readonly [Type in Exclude<Event['type'], First>]: (record: Doc, event: Of<Event, Type>) => Doc | undefined;
  };
}

const registry = new Map<string, RecordAggregate<Document, DomainEvent>>();

export function record<Doc extends Document, Event extends DomainEvent>() {
  return <First extends Event['type']>(
    definition: RecordDefinition<Doc, Event, First> & Belonging<Doc>,
  ): RecordAggregate<Doc, Event> => {
    const { undoing, doors } = definition;
    const begins = {
      ...definition.begins,
      ...(typeof undoing === 'object' &&
        undoing.returns !== undefined && { [undoing.returns.type]: returned<Doc>(undoing.returns.later) }),
    } as Readonly<Record<string, ((event: never, ids: Document) => Doc) | undefined>>;
    const continues = definition.continues as Readonly<
      Record<string, ((record: Doc, event: never) => Doc | undefined) | undefined>
    >;
    const sentences = (definition.sentences ?? {}) as Readonly<
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
      ...(definition.secrets === undefined ? {} : { secrets: declaredSecrets(definition.secrets) }),
      sentenceOf: (event, after) => sentences[event.type]?.(after, event),
      undoing: undoing as UndoingOf<Document>,
      within: definition.of?.project && definition.within !== false ? 'project' : undefined,
      is: definition.is,
      of: definition.of,
      ...(definition.collection === undefined ? {} : { collection: definition.collection }),
      ...(definition.texts === undefined ? {} : { texts: definition.texts }),
      initial: undefined,
      missing: definition.missing,
      exists: (state) => state !== undefined,
      ...(doors === undefined ? {} : { opens: (before, after) => opensDoor(doors, before, after) }),
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

const returned =
  <Doc extends Document>(later: Partial<Doc> = {}) =>
  ({ data: { restores: _, ...fields } }: Recorded<Returned>, ids: Document): Doc =>
    ({ ...later, ...fields, ...ids }) as unknown as Doc;

type Returned = DomainEvent<string, { readonly restores: string }>;

export function recordCategories(): readonly string[] {
  return [...registry.keys()];
}

export function recordKind(category: string): RecordAggregate<Document, DomainEvent> | undefined {
  return registry.get(category);
}

export function secretTypes(): readonly string[] {
  return [...new Set([...registry.values()].flatMap(({ secrets }) => secrets?.types ?? []))];
}

export function recordsProjection<Doc extends Document, Event extends DomainEvent>(
  aggregate: RecordAggregate<Doc, Event>,
  { name, version, indexes, opens }: RecordCollection,
): Projection {
  return {
    name,
    version,
    collections: { [name]: { indexes } },
    reads: { types: aggregate.types },
    recordsOf: aggregate.category,
    ...(opens && { opens }),
    changes: (event: RecordedEvent) => {
      // Another kind of record may have the same event types, as functions of sites and of the workspace do.
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
