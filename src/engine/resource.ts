import type { Type } from '@nestjs/common';
import type { Permission } from '../kernel/caller.js';
import type { DomainEvent } from '../kernel/event.js';
import { type FieldSpec, type FieldSpecs, shapeOf } from '../kernel/field/field.js';
import { idField } from '../kernel/field/plain-text.js';
import type { Noun } from '../kernel/noun/noun.js';
import type { NounFields } from '../kernel/noun/noun-field.js';
import { answerSpecs, createSpecs, keySpecs, updateSpecs } from '../kernel/noun/noun-specs.js';
import type { CreateInput, KeysOf, NounEventNames, UpdateInput } from '../kernel/noun/noun-types.js';
import type { Document, Where } from '../kernel/projection.js';
import { type Provided, query, type Tokens } from './operation/bound-operation.js';
import type { Call } from './operation/call.js';
import { type OperationName, type OperationSpec, success } from './operation/operation.js';
import { Reads } from './reads.js';
import { recordCommand } from './record-command.js';
import { showsFields } from './record-views.js';
import { takesAgain } from './returning-names.js';
import { reserving, type UniqueField, wantedName } from './unique-field.js';

/** What all operations of a noun have in common. */
interface Common<Doc extends Document, Fields extends NounFields, Asked extends Tokens, More extends object>
  extends Pick<OperationSpec, 'source' | 'group' | 'tools' | 'callers'> {
  readonly reads: Permission;
  readonly edits: Permission;
  /** Ids are `<prefix>_…`, or follow from what names the record. */
  readonly id: string | ((keys: KeysOf<Fields>) => string);
  /** The form in which keys are kept. Left out: as sent. @throws Refusal for what can be none */
  keys?(sent: KeysOf<Fields>): KeysOf<Fields>;
  /** The parameter that names a record, where not its keys do. Left out: `id`. */
  readonly named?: string;
  readonly answer: {
    /** The name of the schema in the documents. */
    readonly called: string;
    /** What the documents say of the id. */
    readonly id?: string;
    /** Beside the fields of the noun, after them. */
    readonly also?: Readonly<Record<string, FieldSpec>>;
    /** Left out: `createdAt`. */
    readonly dates?: readonly ('createdAt' | 'updatedAt')[];
  };
  readonly inject?: Asked;
  /** What answers say beside the record's fields. */
  beside?(record: Doc, call: Call, ...provided: Provided<Asked>): More | Promise<More>;
  readonly unique?: UniqueField<Doc>;
}

type Own = Omit<OperationSpec, 'effect' | 'source' | 'group' | 'permission' | 'answers' | 'tools' | 'within'> &
  Partial<Pick<OperationSpec, 'permission' | 'tools' | 'source' | 'group'>>;

type Events<Event extends DomainEvent> = readonly NoInfer<Event>[];
type Sent<Fields, Names> = Omit<Fields, keyof Names>;

/** The operations of a noun, a line each. What a rule decides stands in `decide`; without it, what is sent is recorded. */
export function resource<
  Doc extends Document,
  Event extends DomainEvent,
  Fields extends NounFields,
  Names extends NounEventNames,
  const Asked extends Tokens = readonly [],
  More extends object = object,
>(noun: Noun<Doc, Event, Fields, Names>, common: Common<Doc, Fields, Asked, More>) {
  type Keys = KeysOf<Fields>;
  const {
    reads,
    edits,
    id,
    keys = (sent: Keys) => sent,
    named = 'id',
    answer,
    inject,
    beside,
    unique,
    ...shared
  } = common;
  const isKeyed = typeof id === 'function';
  const within = noun.within;
  const shape = shapeOf(answer.called, {
    ...(isKeyed ? {} : { id: { type: 'string', ...(answer.id && { description: answer.id }) } as const }),
    ...answerSpecs(noun.fields),
    ...answer.also,
    ...Object.fromEntries((answer.dates ?? ['createdAt']).map((one) => [one, date])),
  });
  showsFields(noun, shape);
  if (unique !== undefined) {
    takesAgain(noun, (back) => [wantedName(noun, unique, back, String(back[unique.field]), back)]);
  }
  const naming = isKeyed ? keySpecs(noun.fields) : { [named]: idField };
  const namesProject = 'projectId' in naming;
  const idOf = (sent: object): string =>
    typeof id === 'function' ? id(keys(sent as Keys)) : String(sent[named as keyof typeof sent]);
  const toldOf = async (record: Doc, call: Call, provided: readonly unknown[]) => ({
    ...record,
    ...(await beside?.(record, call, ...(provided as Provided<Asked>))),
  });
  const answered = (after: Doc | undefined, prepared: readonly unknown[], call: Call) =>
    toldOf(after ?? noun.missing(), call, prepared);
  const prepare = (_: unknown, __: Call, ...provided: readonly unknown[]) => Promise.resolve(provided);
  const unnamed = (sent: object) =>
    Object.fromEntries(Object.entries(sent).filter(([name]) => !Object.hasOwn(naming, name)));

  return {
    /** The class of its answers, for operations that show it besides. */
    shape,

    /** All of them: a workspace has few. */
    list(
      name: OperationName,
      {
        shows,
        as,
        newestFirst,
        where,
        showing,
        input = {},
        ...own
      }: Own & {
        /** The name of another schema for lists, and what it has beside the record's. */
        readonly shows?: { readonly called: string; readonly also: FieldSpecs };
        showing?(record: Doc, call: Call): object;
        /** The member of the answer that holds the list. Left out: the answer is the list. */
        readonly as?: string;
        readonly newestFirst?: true;
        readonly input?: FieldSpecs;
        where?(input: Readonly<Record<string, unknown>>): Where;
      },
    ): Type<object> {
      const listed = shows === undefined ? shape : extended(shape, shows.called, shows.also);
      return query<FieldSpecs, Tokens>(name, {
        ...shared,
        ...own,
        permission: own.permission ?? reads,
        ...(within && { within }),
        answers:
          as === undefined ? { list: listed } : { fields: { [as]: { type: 'array', items: () => listed } as const } },
        input: { ...(within && { projectId: idField }), ...input },
        inject: [Reads, ...(inject ?? [])],
        handle: async (sent, call, ...provided) => {
          const [store, ...asked] = provided as [Reads, ...unknown[]];
          const ofProject = within ? { projectId: String(Reflect.get(sent, 'projectId')) } : {};
          const found = await store.find<Doc>(call.workspaceId, noun.collection.name, {
            where: { ...ofProject, ...where?.(sent as Readonly<Record<string, unknown>>) },
            sort: [['createdAt', newestFirst ? 'desc' : 'asc']],
          });
          const list = await Promise.all(
            found.map(async (one) => ({ ...(await toldOf(one, call, asked)), ...showing?.(one, call) })),
          );
          return as === undefined ? list : { [as]: list };
        },
      });
    },

    get(name: OperationName, own: Own): Type<object> {
      return query<FieldSpecs, Tokens>(name, {
        ...shared,
        ...own,
        permission: own.permission ?? reads,
        ...(namesProject && within && { within }),
        answers: { record: shape },
        input: naming,
        inject: [Reads, ...(inject ?? [])],
        handle: async (sent, call, ...provided) => {
          const [store, ...asked] = provided as [Reads, ...unknown[]];
          return toldOf(await store.one<Doc, Event>(call, noun, idOf(sent)), call, asked);
        },
      });
    },

    /** `decide` gets the record that is there where ids follow from keys. */
    create(
      name: OperationName,
      {
        decide,
        ...own
      }: Own & {
        decide?(sent: CreateInput<Fields>, call: Call, before: Doc | undefined): Events<Event>;
      } = {} as never,
    ): Type<object> {
      return recordCommand<FieldSpecs, Doc, Event, Tokens, 'perhaps' | true, readonly unknown[]>(name, {
        ...shared,
        ...own,
        permission: own.permission ?? edits,
        ...(within && { within }),
        answers: { record: shape },
        input: createSpecs(noun.fields),
        record: noun,
        begins: isKeyed ? 'perhaps' : true,
        id: (sent, call) => (isKeyed ? idOf(sent) : call.newId(id)),
        inject: inject ?? [],
        prepare,
        decide: (before, sent, call) => {
          const kept = noun.kept({
            ...sent,
            ...(isKeyed ? keys(sent as unknown as Keys) : {}),
          }) as unknown as CreateInput<Fields>;
          return decide === undefined ? (noun.created(kept as never) as never) : decide(kept, call, before);
        },
        ...reserving(noun, unique),
        answer: answered,
      });
    },

    update(
      name: OperationName,
      {
        decide,
        ...own
      }: Own & { decide?(before: Doc, sent: Sent<UpdateInput<Fields>, Keys>, call: Call): Events<Event> },
    ): Type<object> {
      return recordCommand<FieldSpecs, Doc, Event, Tokens, false, readonly unknown[]>(name, {
        ...shared,
        ...own,
        permission: own.permission ?? edits,
        ...(namesProject && within && { within }),
        answers: { record: shape },
        input: { ...naming, ...updateSpecs(noun.fields) },
        record: noun,
        id: idOf,
        inject: inject ?? [],
        prepare,
        decide: (before, sent, call) => {
          const changes = noun.kept(unnamed(sent));
          return decide === undefined
            ? (noun.changed(before, changes as never) as never)
            : decide(before, changes as Sent<UpdateInput<Fields>, Keys>, call);
        },
        ...reserving(noun, unique),
        answer: answered,
      });
    },

    remove(
      name: OperationName,
      { decide, ...own }: Own & { decide?(before: Doc, call: Call): Events<Event> },
    ): Type<object> {
      return recordCommand<FieldSpecs, Doc, Event, Tokens, false, undefined>(name, {
        takesAway: true,
        ...shared,
        ...own,
        permission: own.permission ?? edits,
        ...(namesProject && within && { within }),
        answers: success,
        input: naming,
        record: noun,
        id: idOf,
        decide: (before, _, call) => (decide === undefined ? (noun.deleted(before) as never) : decide(before, call)),
      });
    },
  };
}

const date = { type: 'string', format: 'date-time' } as const;

function extended(shape: new () => object, called: string, also: FieldSpecs): new () => object {
  const more = shapeOf(called, also);
  Object.setPrototypeOf(more, shape);
  return more;
}
