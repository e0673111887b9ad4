import { Injectable } from '@nestjs/common';
import type { DomainEvent, NewEvent } from '../../kernel/event/event.js';
import { parseStream, streamOf } from '../../kernel/event/stream-name.js';
import type { Aggregate } from '../../kernel/record/aggregate.js';
import type { Document } from '../../kernel/record/projection.js';
import { type AppendRequest, EventStore, type ExpectedRevision } from '../../ports/event-store.port.js';
import { systemActor } from '../operation/calls.js';
import type { OperationContext } from '../operation/operation-context.js';
import { PersonalData } from '../personal-data/personal-data.js';
import { AggregateLoader } from './aggregate-loader.js';
import { RecordTexts } from './record-texts.js';
import { type NameReserved, type Reservation, reservationStream } from './reservation.js';

export interface RelatedChange {
  readonly aggregate: Aggregate<unknown, DomainEvent>;
  readonly id: string;
  /**
   * Must be pure, because it is called again if the stream has changed before the append.
   * @throws Refusal
   */
  decide(state: unknown): readonly DomainEvent[];
}

export function alongside<State, Event extends DomainEvent>(change: {
  readonly aggregate: Aggregate<State, Event>;
  readonly id: string;
  decide(state: State): readonly NoInfer<Event>[];
}): RelatedChange {
  return change as unknown as RelatedChange;
}

/**
 * A slot that only one record can have at a time, such as a path or the home page. Each slot has a stream of its own,
 * so that concurrent writers conflict.
 */
export interface ExclusiveSlot {
  readonly reservation: Reservation;
  /** Returns the events to record for the record that loses the slot. */
  displaces(holder: Document): readonly DomainEvent[];
}

export function exclusiveSlot<Doc extends Document, Event extends DomainEvent>(
  reservation: Reservation,
  displaces: (holder: Doc) => readonly Event[],
): ExclusiveSlot {
  return { reservation, displaces } as unknown as ExclusiveSlot;
}

export interface RelatedChanges {
  readonly alongside: readonly RelatedChange[];
  readonly slots: readonly ExclusiveSlot[];
}

interface RelatedAppend {
  readonly stream: string;
  readonly workspaceId?: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly DomainEvent[];
}

interface Decided extends RelatedAppend {
  readonly aggregate: Aggregate<unknown, DomainEvent> | undefined;
  readonly before: unknown;
}

@Injectable()
export class RelatedAppends {
  constructor(
    private readonly store: EventStore,
    private readonly loader: AggregateLoader,
    private readonly texts: RecordTexts,
    private readonly personal: PersonalData,
  ) {}

  /**
   * Large texts are stored last, when everything is decided.
   * @throws Refusal, TextsUnavailable
   */
  async of(
    call: OperationContext,
    { alongside, slots }: RelatedChanges,
    fresh: (event: DomainEvent, idSuffix: string) => NewEvent,
  ): Promise<readonly AppendRequest[]> {
    const additions = await this.decided(call.workspaceId, alongside, slots);
    return additions.map(({ stream, workspaceId = call.workspaceId, expected, events }) => ({
      stream,
      expected,
      events: events.map((event, index) => {
        const recorded = fresh(event, `${stream}/${index}`);
        if (workspaceId === call.workspaceId) return recorded;
        // The workspace that loses a slot must not learn who took the slot.
        return { ...recorded, metadata: { ...recorded.metadata, workspaceId, actor: systemActor('places') } };
      }),
    }));
  }

  private async decided(
    workspaceId: string,
    changes: readonly RelatedChange[],
    slots: readonly ExclusiveSlot[],
  ): Promise<readonly RelatedAppend[]> {
    const decided: Decided[] = [];
    for (const one of slots) decided.push(...(await this.taking(workspaceId, one)));
    for (const { aggregate, id, decide } of changes) {
      decided.push(...(await this.changing(aggregate, streamOf(aggregate.category, workspaceId, id), decide)));
    }
    const additions = await Promise.all(decided.map((one) => this.recordable(one)));
    return [...Map.groupBy(additions, ({ stream }) => stream).values()].map(together);
  }

  private async recordable({ aggregate, before, ...addition }: Decided): Promise<RelatedAppend> {
    const { workspaceId } = addition;
    if (aggregate === undefined || workspaceId === undefined) return addition;
    const sealed = await this.personal.sealed(addition.stream, addition.events);
    return { ...addition, events: await this.texts.recordable(aggregate, workspaceId, sealed, before) };
  }

  private async taking(workspaceId: string, { reservation, displaces }: ExclusiveSlot): Promise<readonly Decided[]> {
    const { aggregate, category, holder, name } = reservation;
    const stream = reservationStream(reservation.among ?? workspaceId, category, name);
    const [last] = await this.store.readStream(stream, { direction: 'backward', limit: 1 });
    const taken: Decided = {
      stream,
      expected: last?.revision ?? 'none',
      events: [{ type: 'NameReserved', data: { name, holder } }],
      aggregate: undefined,
      before: undefined,
    };
    const before = last && (last.data as NameReserved['data']).holder;
    if (before === undefined || before === holder) return [taken];
    const ousted = await this.changing(aggregate as unknown as Aggregate<unknown, DomainEvent>, before, (state) =>
      state !== undefined && reservation.nameOf(state as Document) === name ? displaces(state as Document) : [],
    );
    return [taken, ...ousted];
  }

  private async changing(
    aggregate: Aggregate<unknown, DomainEvent>,
    stream: string,
    decide: (state: unknown) => readonly DomainEvent[],
  ): Promise<readonly Decided[]> {
    const { state, revision } = await this.loader.load(aggregate, stream);
    const events = decide(state);
    if (events.length === 0) return [];
    const { workspaceId } = parseStream(stream);
    const expected = revision === -1 ? 'none' : revision;
    return [{ stream, workspaceId, expected, events, aggregate, before: state }];
  }
}

function together(additions: readonly RelatedAppend[]): RelatedAppend {
  const [first] = additions;
  if (first === undefined) throw new Error('A group of additions is empty.');
  return { ...first, events: additions.flatMap(({ events }) => events) };
}
