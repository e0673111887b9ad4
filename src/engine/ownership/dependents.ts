import { Injectable } from '@nestjs/common';
import type { DomainEvent, Recorded, RecordedEvent } from '../../kernel/event/event.js';
import { parseStream, streamOf } from '../../kernel/event/stream-name.js';
import type { Aggregate } from '../../kernel/record/aggregate.js';
import { checkOwners, type OwnedKind, type OwnerKind, ownersOf } from '../../kernel/record/owners.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import { AggregateLoader } from '../commands/aggregate-loader.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { Call } from '../operation/call.js';
import { Reads } from '../scopes/reads.js';

type CallFor = (step: string) => Call;

/** A record by its id. */
export interface Place {
  readonly workspaceId: string;
  readonly id: string;
}

/** An owner that was deleted. `category`: what it was recorded as. */
export interface DeletedOwner extends Place {
  readonly kind: OwnerKind;
  readonly category: string;
}

/** How records of one kind are found by their owner, and end with it. Whatever declares records may enter one. */
export interface Dependent<Doc extends Document = Document, Event extends DomainEvent = DomainEvent> {
  readonly kind: RecordAggregate<Doc, Event>;
  readonly owner: OwnerKind;
  /** Where those of an owner are listed: documents of this collection with its id in one of the fields. */
  readonly listed: { readonly collection: string; readonly fields: readonly string[]; readonly id?: string };
  /** Events that make one, or make it the owner's. One recorded after the owner's deletion ends as well. */
  readonly made: readonly string[];
  /** What ends the record; nothing where it stays. */
  end(record: Doc, owner: DeletedOwner): readonly Event[];
  /** What is destroyed before, because a record that has ended is not found when this is repeated. */
  before?(place: Place): Promise<void>;
}

/** How all owners of one kind are followed. */
export interface OwnerRules {
  readonly kind: OwnerKind;
  /** As what they are recorded. */
  readonly recorded: readonly Aggregate<unknown, DomainEvent>[];
  /** So many dependents end in one command. Default: 1. */
  readonly together?: number;
  /**
   * Names a command that ends dependents of this kind, of which `first` is one. Logs hold ids derived from it. Default:
   * the kind and the first.
   */
  step?(category: string, first: string, owner: string): string;
  /** Dependents are never recorded before their owner, so that one without any record was deleted long ago. */
  readonly isAlwaysFirst?: boolean;
}

const page = 200;
/** Commands at a time. */
const atOnce = 8;

/** What is deleted with what. Slices enter their kinds of records at start. */
@Injectable()
export class Dependents {
  private readonly all: Dependent[] = [];

  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly loader: AggregateLoader,
  ) {}

  /** @throws Error when how such a record ends with such an owner is entered already */
  register<Doc extends Document, Event extends DomainEvent>(dependent: Dependent<Doc, Event>): void {
    const { kind, owner } = dependent;
    if (this.of(owner).some((one) => one.kind.category === kind.category)) {
      throw new Error(`How the record ${kind.category} ends with its ${owner} is entered twice.`);
    }
    this.all.push(dependent as unknown as Dependent);
  }

  of(owner: OwnerKind): readonly Dependent[] {
    return this.all.filter((one) => one.owner === owner);
  }

  /** The events after which a dependent may turn out to be late. */
  madeTypes(owner: OwnerKind): readonly string[] {
    return [...new Set(this.of(owner).flatMap(({ made }) => made))];
  }

  /** @throws Error when one of these kinds forgets an owner, or nobody entered how it ends */
  check(kinds: readonly OwnedKind[]): void {
    checkOwners(kinds, (category, owner) => this.of(owner).some(({ kind }) => kind.category === category));
  }

  /** Ends all that is left of an owner that is gone. May be repeated, and goes on where it was interrupted. */
  async endAll(rules: OwnerRules, owner: DeletedOwner, callFor: CallFor): Promise<void> {
    for (const dependent of this.of(rules.kind)) {
      for (const field of dependent.listed.fields) {
        for await (const ids of this.listed(dependent, field, owner, Math.max(page, rules.together ?? 1))) {
          await this.end(dependent, rules, owner, ids, callFor);
        }
      }
    }
  }

  /** Ends what these events made, where the owner was gone by then. May be repeated. */
  async endLate(
    rules: OwnerRules,
    events: readonly RecordedEvent[],
    callFor: (event: RecordedEvent) => CallFor,
  ): Promise<void> {
    const made = events.flatMap((event) => {
      const { category } = parseStream(event.stream);
      const dependent = this.of(rules.kind).find(
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

  /** Undefined when it is there. */
  private async deleted(
    { kind, recorded, isAlwaysFirst = false }: OwnerRules,
    { workspaceId, id }: Place,
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
          decide: (record: Document | undefined) => (record === undefined ? [] : dependent.end(record, owner)),
        })),
      );
    };
    const chunks = inChunks(ids, together);
    for (const several of inChunks(chunks, atOnce)) await Promise.all(several.map(one));
  }
}

const inChunks = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

/** By the record that the event begins or, where it begins none, by what the event says. */
function ownerIdOf({ kind, listed: { fields } }: Dependent, event: RecordedEvent): string | undefined {
  const said = kind.begin(event as Recorded<DomainEvent>) ?? event.data;
  const id = new Map(Object.entries(said)).get(fields[0] ?? '');
  return typeof id === 'string' ? id : undefined;
}

interface More<Doc extends Document, Event extends DomainEvent> {
  /** Other fields under which its documents name the owner. */
  readonly fields?: readonly (keyof Doc & string)[];
  /** Other events that make one. */
  readonly made?: readonly Event['type'][];
  readonly before?: Dependent['before'];
}

/** A kind of record under each owner that its declaration names, with what ends one. */
export const dependentsOf = <Doc extends Document, Event extends DomainEvent>(
  kind: RecordAggregate<Doc, Event>,
  end: Dependent<Doc, Event>['end'],
  { fields = [], made = [], before }: More<Doc, Event> = {},
): readonly Dependent<Doc, Event>[] =>
  ownersOf(kind).map(([owner, field]) => ({
    kind,
    owner,
    listed: { collection: kind.collection?.name ?? '', fields: [field, ...fields] },
    made: [...kind.firstTypes, ...made],
    end,
    ...(before && { before }),
  }));

/** Enters dependents. A provider of their slice. */
export const entersDependents = <Doc extends Document, Event extends DomainEvent>(
  dependents: readonly Dependent<Doc, Event>[],
) => ({
  provide: Symbol('Dependents of owners'),
  inject: [Dependents],
  useFactory: (all: Dependents) => {
    for (const dependent of dependents) all.register(dependent);
  },
});

/** Enters a kind of record under each owner that its declaration names. A provider of its slice. */
export const endsWithOwners = <Doc extends Document, Event extends DomainEvent>(
  kind: RecordAggregate<Doc, Event>,
  end: Dependent<Doc, Event>['end'],
  more?: More<Doc, Event>,
) => entersDependents(dependentsOf(kind, end, more));
