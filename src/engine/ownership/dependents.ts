import { Injectable } from '@nestjs/common';
import type { DomainEvent, Recorded, RecordedEvent } from '../../kernel/event/event.js';
import { parseStream, streamOf } from '../../kernel/event/stream-name.js';
import type { Aggregate } from '../../kernel/record/aggregate.js';
import { checkOwners, type OwnedKind, type OwnerKind, ownersOf } from '../../kernel/record/owners.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import { AggregateLoader } from '../commands/aggregate-loader.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { OperationContext } from '../operation/operation-context.js';
import { Reads } from '../scopes/reads.js';

type CallFor = (step: string) => OperationContext;

export interface RecordId {
  readonly workspaceId: string;
  readonly id: string;
}

export interface DeletedOwner extends RecordId {
  readonly kind: OwnerKind;
  readonly category: string;
}

export interface Dependent<Doc extends Document = Document, Event extends DomainEvent = DomainEvent> {
  readonly kind: RecordAggregate<Doc, Event>;
  readonly owner: OwnerKind;
  /**
   * Where an owner's records are found: in documents of `collection` with the owner's id in one of `fields`. `id` is
   * the name of the field with the record's id. Default: `id`.
   */
  readonly listed: { readonly collection: string; readonly fields: readonly string[]; readonly id?: string };
  /**
   * Types of the events that create a record of this kind or assign one to an owner. If this happens after the owner's
   * deletion, the record is ended as well.
   */
  readonly made: readonly string[];
  /** Returns no events if the record remains. */
  endEvents(record: Doc, owner: DeletedOwner): readonly Event[];
  /**
   * Cleans up before the record ends. After the end, an interrupted cleanup could not be repeated, because the record
   * could no longer be found.
   */
  before?(place: RecordId): Promise<void>;
}

export interface OwnerRules {
  readonly kind: OwnerKind;
  readonly recorded: readonly Aggregate<unknown, DomainEvent>[];
  /** Number of dependents that one command ends. Default: 1. */
  readonly together?: number;
  /**
   * Returns a name for a command that ends dependents of an owner. `first` is the id of the first of them. Recorded ids
   * are derived from the name, so it must not change. Default: `<category>/<first>`.
   */
  step?(category: string, first: string, owner: string): string;
  /**
   * If true, an owner is always recorded before its dependents. An owner whose stream has no events is then treated as
   * deleted.
   */
  readonly isAlwaysFirst?: boolean;
}

const page = 200;
const atOnce = 8;

@Injectable()
export class Dependents {
  private readonly all: Dependent[] = [];

  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly loader: AggregateLoader,
  ) {}

  register<Doc extends Document, Event extends DomainEvent>(dependent: Dependent<Doc, Event>): void {
    const { kind, owner } = dependent;
    if (this.ownedBy(owner).some((one) => one.kind.category === kind.category)) {
      throw new Error(`The end of the record ${kind.category} with its ${owner} is declared twice.`);
    }
    this.all.push(dependent as unknown as Dependent);
  }

  ownedBy(owner: OwnerKind): readonly Dependent[] {
    return this.all.filter((one) => one.owner === owner);
  }

  madeTypes(owner: OwnerKind): readonly string[] {
    return [...new Set(this.ownedBy(owner).flatMap(({ made }) => made))];
  }

  /**
   * @throws Error if a kind of record declares that it ends with an owner, but is not registered here for this owner
   * @throws Error if a kind has a project and does not declare whether it is deleted with the project
   */
  check(kinds: readonly OwnedKind[]): void {
    checkOwners(kinds, (category, owner) => this.ownedBy(owner).some(({ kind }) => kind.category === category));
  }

  /**
   * Idempotent: a repeated call continues where the last one was interrupted. If the owner was restored since, only the
   * records that belonged to it at the log position `deletedAt` end.
   */
  async endAll(
    rules: OwnerRules,
    owner: DeletedOwner & { readonly deletedAt: number },
    callFor: CallFor,
  ): Promise<void> {
    const isRestored = await this.isRestored(rules, owner);
    for (const dependent of this.ownedBy(rules.kind)) {
      for (const field of dependent.listed.fields) {
        for await (const listed of this.listed(dependent, field, owner, Math.max(page, rules.together ?? 1))) {
          const ids = isRestored ? await this.formerly(dependent, field, owner, listed) : listed;
          await this.end(dependent, rules, owner, ids, callFor);
        }
      }
    }
  }

  /** Ends the records that these events created or assigned, if their owner had already been deleted. Idempotent. */
  async endLate(
    rules: OwnerRules,
    events: readonly RecordedEvent[],
    callFor: (event: RecordedEvent) => CallFor,
  ): Promise<void> {
    const made = events.flatMap((event) => {
      const { category } = parseStream(event.stream);
      const dependent = this.ownedBy(rules.kind).find(
        ({ kind, made: types }) => kind.category === category && types.includes(event.type),
      );
      const owner = dependent && ownerIdOf(dependent, event);
      return dependent === undefined || owner === undefined ? [] : [{ event, dependent, owner }];
    });
    const byOwner = Map.groupBy(made, ({ event, dependent, owner }) =>
      [event.metadata.workspaceId, dependent.kind.category, owner].join(' '),
    );
    for (const ofOwner of byOwner.values()) {
      const [first] = ofOwner;
      if (first === undefined) continue;
      const { workspaceId } = parseStream(first.event.stream);
      const owner = await this.deleted(rules, { workspaceId, id: first.owner });
      if (owner === undefined) continue;
      const ids = [...new Set(ofOwner.map(({ event }) => parseStream(event.stream).id))];
      await this.end(first.dependent, { ...rules, together: ids.length }, owner, ids, callFor(first.event));
    }
  }

  private async isRestored({ recorded }: OwnerRules, { category, workspaceId, id }: DeletedOwner): Promise<boolean> {
    const kind = recorded.find((one) => one.category === category);
    return (
      kind !== undefined && (await this.loader.load(kind, streamOf(category, workspaceId, id))).state !== undefined
    );
  }

  /** Returns those of the records that belonged to the owner when it was deleted. */
  private async formerly(
    { kind }: Dependent,
    field: string,
    { workspaceId, id, deletedAt }: RecordId & { readonly deletedAt: number },
    ids: readonly string[],
  ): Promise<readonly string[]> {
    const former: string[] = [];
    for await (const record of this.loader.at(kind, workspaceId, ids, deletedAt)) {
      if (new Map(Object.entries(record)).get(field) === id) former.push(record.id);
    }
    return former;
  }

  /**
   * An owner that was never recorded is treated as deleted only if such owners are always recorded before their
   * dependents.
   */
  private async deleted(
    { kind, recorded, isAlwaysFirst = false }: OwnerRules,
    { workspaceId, id }: RecordId,
  ): Promise<DeletedOwner | undefined> {
    const [first] = recorded;
    let category = isAlwaysFirst ? first?.category : undefined;
    for (const one of recorded) {
      const { state, revision } = await this.loader.load(one, streamOf(one.category, workspaceId, id));
      if (state !== undefined) return undefined;
      if (revision >= 0) category = one.category;
    }
    return category === undefined ? undefined : { kind, category, workspaceId, id };
  }

  private async *listed(
    { listed: { collection, id = 'id' } }: Dependent,
    field: string,
    owner: DeletedOwner,
    limit: number,
  ): AsyncIterable<readonly string[]> {
    for (let after: readonly string[] | undefined; ; ) {
      const found = await this.reads.find<Document>(owner.workspaceId, collection, {
        where: { [field]: owner.id },
        sort: [],
        limit,
        ...(after && { after }),
      });
      yield found.map((document) => String(new Map(Object.entries(document)).get(id)));
      const last = found.at(-1);
      if (last === undefined || found.length < limit) return;
      after = [last.id];
    }
  }

  private async end(
    dependent: Dependent,
    { together = 1, step = (category, first) => `${category}/${first}` }: OwnerRules,
    owner: DeletedOwner,
    ids: readonly string[],
    callFor: CallFor,
  ): Promise<void> {
    const { kind } = dependent;
    const one = async (chunk: readonly string[]) => {
      for (const id of chunk) await dependent.before?.({ workspaceId: owner.workspaceId, id });
      const [first = ''] = chunk;
      await this.runner.changeAll(
        callFor(step(kind.category, first, owner.id)),
        chunk.map((id) => ({
          aggregate: kind,
          id,
          begins: 'perhaps' as const,
          decide: (record: Document | undefined) => (record === undefined ? [] : dependent.endEvents(record, owner)),
        })),
      );
    };
    const chunks = inChunks(ids, together);
    for (const several of inChunks(chunks, atOnce)) await Promise.all(several.map(one));
  }
}

const inChunks = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

/**
 * Looks for the owner's id in the record that the event creates or, if the event creates no record, in the event's
 * data.
 */
function ownerIdOf({ kind, listed: { fields } }: Dependent, event: RecordedEvent): string | undefined {
  const data = kind.begin(event as Recorded<DomainEvent>) ?? event.data;
  const id = new Map(Object.entries(data)).get(fields[0] ?? '');
  return typeof id === 'string' ? id : undefined;
}

interface DependentOptions<Doc extends Document, Event extends DomainEvent> {
  readonly fields?: readonly (keyof Doc & string)[];
  readonly made?: readonly Event['type'][];
  readonly before?: Dependent['before'];
}

export const dependentsOf = <Doc extends Document, Event extends DomainEvent>(
  kind: RecordAggregate<Doc, Event>,
  endEvents: Dependent<Doc, Event>['endEvents'],
  { fields = [], made = [], before }: DependentOptions<Doc, Event> = {},
): readonly Dependent<Doc, Event>[] =>
  ownersOf(kind).map(([owner, field]) => ({
    kind,
    owner,
    listed: { collection: kind.collection?.name ?? '', fields: [field, ...fields] },
    made: [...kind.firstTypes, ...made],
    endEvents,
    ...(before && { before }),
  }));

export const entersDependents = <Doc extends Document, Event extends DomainEvent>(
  dependents: readonly Dependent<Doc, Event>[],
) => ({
  provide: Symbol('Dependents of owners'),
  inject: [Dependents],
  useFactory: (all: Dependents) => {
    for (const dependent of dependents) all.register(dependent);
  },
});

/**
 * Returns a provider that registers how the records end with their owners. It must be among the providers of the kind
 * (see `slice`).
 */
export const endsWithOwners = <Doc extends Document, Event extends DomainEvent>(
  kind: RecordAggregate<Doc, Event>,
  endEvents: Dependent<Doc, Event>['endEvents'],
  more?: DependentOptions<Doc, Event>,
) => entersDependents(dependentsOf(kind, endEvents, more));
