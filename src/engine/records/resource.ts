import type { Type } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { FieldSpecs, ValuesOf } from '../../kernel/field/field.js';
import { idField } from '../../kernel/field/plain-text.js';
import type { Noun } from '../../kernel/noun/noun.js';
import type { NounFields } from '../../kernel/noun/noun-field.js';
import { createSpecs, keySpecs, specsInOrder, updateSpecs } from '../../kernel/noun/noun-specs.js';
import type { CreateInput, KeysOf, NounEventNames, UpdateInput } from '../../kernel/noun/noun-types.js';
import type { Document, Where } from '../../kernel/record/projection.js';
import { reservesOnRestore } from '../commands/restored-names.js';
import { type Provided, query, type Tokens } from '../operation/bound-operation.js';
import { type AnswerSpec, type OperationName, success } from '../operation/operation.js';
import type { OperationContext } from '../operation/operation-context.js';
import { Reads } from '../scopes/reads.js';
import { Scopes } from '../scopes/scopes.js';
import { answerShape, extended } from './answer-shape.js';
import { recordCommand } from './record-command.js';
import { showsFields } from './record-views.js';
import type { Changing, Common, Events, Looked, NoSpecs, OwnSpec } from './resource-types.js';
import { reserving, uniqueNameRequest } from './unique-field.js';

/**
 * Returns functions that declare the operations of a noun, i.e. of a kind of record with declared fields. `decide`
 * contains the rules of an operation; without it, the input is recorded as sent.
 */
export function resource<
  Doc extends Document,
  Event extends DomainEvent,
  Fields extends NounFields,
  Names extends NounEventNames,
  const Asked extends Tokens = readonly [],
  More extends object = object,
>(noun: Noun<Doc, Event, Fields, Names>, common: Common<Doc, Event, Fields, Asked, More>) {
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
    callers,
    slots,
    ...shared
  } = common;
  const changing = { ...shared, ...(callers && { callers }) };
  const isKeyed = typeof id === 'function';
  const within = Object.hasOwn(createSpecs(noun.fields), 'projectId') ? noun.within : undefined;
  const shape = 'shape' in answer ? answer.shape : answerShape(noun.fields, answer, isKeyed);
  if (!('shape' in answer)) showsFields(noun, shape);
  if (unique !== undefined) {
    reservesOnRestore(noun, (restored) => [
      uniqueNameRequest(noun, unique, restored, String(restored[unique.field]), restored),
    ]);
  }
  const naming = isKeyed ? keySpecs(noun.fields) : { [named]: idField };
  const namesProject = 'projectId' in naming;
  const idOf = (sent: object): string =>
    typeof id === 'function' ? id(keys(sent as Keys)) : String(sent[named as keyof typeof sent]);
  const answerOf = async (record: Doc, call: OperationContext, provided: readonly unknown[]) => ({
    ...record,
    ...(await beside?.(record, call, ...(provided as Provided<Asked>))),
  });
  const asked: Tokens = inject ?? [];
  const changes = <Sent, Looks extends Tokens, Prepared>(
    {
      inject: looks = [] as never,
      prepare,
      answers = { record: shape },
      answer,
      ...own
    }: OwnSpec & Omit<Changing<Doc, Sent, Looks, Prepared, FieldSpecs>, 'input' | 'order'>,
    read: (sent: object) => Sent,
  ) => ({
    ...changing,
    ...own,
    permission: own.permission ?? edits,
    answers,
    record: noun,
    inject: [...looks, ...asked],
    prepare: async (
      sent: object,
      call: OperationContext,
      ...provided: readonly unknown[]
    ): Promise<Looked<Prepared>> => ({
      prepared: (await prepare?.(
        read(sent),
        call,
        ...(provided.slice(0, looks.length) as unknown as Provided<Looks>),
      )) as Prepared,
      provided: provided.slice(looks.length),
    }),
    ...reserving(noun, unique),
    ...(slots && { slots }),
    answer: async (after: Doc | undefined, { prepared, provided }: Looked<Prepared>, call: OperationContext) => ({
      ...(await answerOf(after ?? noun.missing(), call, provided)),
      ...answer?.(after ?? noun.missing(), prepared),
    }),
  });
  const unnamed = (sent: object) =>
    Object.fromEntries(Object.entries(sent).filter(([name]) => !Object.hasOwn(naming, name)));

  return {
    shape,

    shapeWith: (called: string, also: FieldSpecs) => extended(shape, called, also),

    /**
     * Lists all records, without pages. Without the parameter `projectId`, lists the records of all projects to which
     * the caller has access.
     */
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
      }: OwnSpec & {
        readonly shows?: { readonly called: string; readonly also: FieldSpecs };
        showing?(record: Doc, call: OperationContext): object;
        /** Name of the response member that contains the list. If omitted, the response is the list. */
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
        inject: [Reads, Scopes, ...(inject ?? [])],
        handle: async (sent, call, ...provided) => {
          const [store, scopes, ...asked] = provided as [Reads, Scopes, ...unknown[]];
          const ofProject = within ? { projectId: String(Reflect.get(sent, 'projectId')) } : {};
          const found = await store.find<Doc>(call.workspaceId, noun.collection.name, {
            where: { ...ofProject, ...where?.(sent as Readonly<Record<string, unknown>>) },
            sort: [['createdAt', newestFirst ? 'desc' : 'asc']],
          });
          const open = within === noun.within ? found : await scopes.allowed(call, found, noun);
          const list = await Promise.all(
            open.map(async (one) => ({ ...(await answerOf(one, call, asked)), ...showing?.(one, call) })),
          );
          return as === undefined ? list : { [as]: list };
        },
      });
    },

    get(name: OperationName, own: OwnSpec): Type<object> {
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
          return answerOf(await store.one<Doc, Event>(call, noun, idOf(sent)), call, asked);
        },
      });
    },

    /** If keys identify the records, the record may already exist, and `decide` then receives it. */
    create<const Looks extends Tokens = readonly [], Prepared = undefined, const Extra extends FieldSpecs = NoSpecs>(
      name: OperationName,
      {
        input,
        order,
        decide,
        ...more
      }: OwnSpec &
        Changing<Doc, CreateInput<Fields> & ValuesOf<Extra>, Looks, Prepared, Extra> & {
          decide?(
            sent: CreateInput<Fields> & ValuesOf<Extra>,
            call: OperationContext,
            before: Doc | undefined,
            prepared: Prepared,
          ): Events<Event>;
        },
    ): Type<object> {
      type Sent = CreateInput<Fields> & ValuesOf<Extra>;
      const normalised = (sent: object) =>
        noun.normalise({ ...sent, ...(isKeyed ? keys(sent as unknown as Keys) : {}) }) as unknown as Sent;
      return recordCommand<FieldSpecs, Doc, Event, Tokens, 'perhaps' | true, Looked<Prepared>>(name, {
        ...changes(more, normalised),
        ...(within && { within }),
        input: specsInOrder({ ...createSpecs(noun.fields), ...input }, order),
        begins: isKeyed ? 'perhaps' : true,
        id: (sent, call) => (isKeyed ? idOf(sent) : call.newId(id)),
        decide: (before, sent, call, { prepared }) =>
          decide === undefined
            ? (noun.created(normalised(sent) as never) as never)
            : decide(normalised(sent), call, before, prepared),
      });
    },

    update<const Looks extends Tokens = readonly [], Prepared = undefined, const Extra extends FieldSpecs = NoSpecs>(
      name: OperationName,
      {
        input,
        order,
        decide,
        ...more
      }: OwnSpec &
        Changing<Doc, { readonly id: string } & UpdateInput<Fields> & ValuesOf<Extra>, Looks, Prepared, Extra> & {
          decide?(
            before: Doc,
            sent: UpdateInput<Fields> & ValuesOf<Extra>,
            call: OperationContext,
            prepared: Prepared,
          ): Events<Event>;
        },
    ): Type<object> {
      type Sent = { readonly id: string } & UpdateInput<Fields> & ValuesOf<Extra>;
      return recordCommand<FieldSpecs, Doc, Event, Tokens, false, Looked<Prepared>>(name, {
        ...changes(more, (sent) => ({ ...noun.normalise(unnamed(sent)), id: idOf(sent) }) as Sent),
        ...(namesProject && within && { within }),
        input: specsInOrder({ ...naming, ...updateSpecs(noun.fields), ...input }, order),
        id: idOf,
        decide: (before, sent, call, { prepared }) => {
          const changed = noun.normalise(unnamed(sent));
          return decide === undefined
            ? (noun.changed(before, changed as never) as never)
            : decide(before, changed as Omit<Sent, 'id'> as Sent, call, prepared);
        },
      });
    },

    remove<const Looks extends Tokens = readonly [], Prepared = undefined>(
      name: OperationName,
      {
        inject: looks = [] as never,
        prepare,
        answers = success,
        decide,
        answer,
        ...own
      }: OwnSpec & {
        readonly inject?: Looks;
        prepare?(
          named: { readonly id: string },
          call: OperationContext,
          ...provided: Provided<Looks>
        ): Promise<Prepared>;
        readonly answers?: AnswerSpec;
        decide?(before: Doc, call: OperationContext, prepared: Prepared): Events<Event>;
        /** Default: `{ success: true }`. */
        answer?(prepared: Prepared): object;
      },
    ): Type<object> {
      return recordCommand<FieldSpecs, Doc, Event, Tokens, false, Prepared>(name, {
        takesAway: true,
        ...changing,
        ...own,
        permission: own.permission ?? edits,
        ...(namesProject && within && { within }),
        answers,
        input: naming,
        record: noun,
        id: idOf,
        inject: looks,
        prepare: async (sent, call, ...provided) =>
          (await prepare?.({ id: idOf(sent) }, call, ...(provided as unknown as Provided<Looks>))) as Prepared,
        decide: (before, _, call, prepared) =>
          decide === undefined ? (noun.deleted(before) as never) : decide(before, call, prepared),
        answer: (_, prepared) => answer?.(prepared) ?? { success: true },
      });
    },
  };
}
