import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { derivedUuid } from '../../kernel/event/derived-id.js';
import type { DomainEvent, NewEvent, RecordedEvent } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import { KeyedMutex } from '../../kernel/keyed-mutex.js';
import type { Aggregate } from '../../kernel/record/aggregate.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { Clock } from '../../ports/clock.port.js';
import { type AppendRequest, EventStore, WrongExpectedRevision } from '../../ports/event-store.port.js';
import { Ids } from '../../ports/ids.port.js';
import { authoriseEffects, countsInQuota, type Taken, takingAway, withTaken } from '../authorisation/authorisation.js';
import { metadataOf, type OperationContext } from '../operation/operation-context.js';
import { PersonalData } from '../personal-data/personal-data.js';
import { RecordingQuota } from '../quotas/recording-quota.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';
import { refusalOf } from '../refusals/engine.refusals.js';
import { Scopes } from '../scopes/scopes.js';
import { advance, type Loaded } from './aggregate-cache.js';
import { AggregateLoader } from './aggregate-loader.js';
import type { Change } from './change.js';
import { recordedNext, wouldOpen } from './next-events.js';
import { recordedBefore } from './partial-append.js';
import { RecordLimit } from './record-limit.js';
import { RecordTexts } from './record-texts.js';
import { RelatedAppends, type RelatedChanges } from './related-changes.js';
import { type RequestedName, reservationsOf } from './reservation-requests.js';

interface RequestedChanges extends RelatedChanges {
  readonly names: readonly RequestedName[];
}

interface Decided<State, Event extends DomainEvent> {
  readonly change: Change<State, Event>;
  readonly stream: string;
  readonly loaded: Loaded<State>;
  readonly events: readonly Event[];
  readonly taking: Taken;
  readonly requested: RequestedChanges;
}

const tries = 40;
const partlyDone =
  'A record kept changing while this call was being processed, and only a part of it was done. Read the records, and send a call for the rest.';
const nothingRequested = (): RequestedChanges => ({ names: [], alongside: [], slots: [] });
/**
 * Index (from 0) of the last attempt without a pause. Later attempts wait for a random time, so that concurrent writers
 * of a stream stop colliding.
 */
const patience = 3;

@Injectable()
export class CommandRunner {
  /** Attempts that follow a conflict run one at a time for each stream, so they do not conflict with each other. */
  private readonly retries = new KeyedMutex();

  constructor(
    private readonly store: EventStore,
    private readonly loader: AggregateLoader,
    private readonly clock: Clock,
    private readonly readYourWrites: ReadYourWrites,
    private readonly ids: Ids,
    private readonly quota: RecordingQuota,
    private readonly limit: RecordLimit,
    private readonly texts: RecordTexts,
    private readonly personal: PersonalData,
    private readonly additions: RelatedAppends,
    private readonly scopes: Scopes,
  ) {}

  /** Returns the new record, with personal data sealed. Later reads in this process include the change. */
  async change<State, Event extends DomainEvent>(call: OperationContext, change: Change<State, Event>): Promise<State> {
    return (await this.changeAll(call, [change]))[0] as State;
  }

  /**
   * Decides the changes together and records them in one append. With EventStoreDB, such an append is not one
   * transaction: a crash, or a refusal after a conflict, can leave only the first changes recorded. Repeating the command
   * records the rest.
   */
  async changeAll<State, Event extends DomainEvent>(
    call: OperationContext,
    changes: readonly Change<State, Event>[],
  ): Promise<readonly State[]> {
    let conflict: string | undefined;
    const done = new Set<string>();
    try {
      for (let attempt = 0; attempt < tries; attempt++) {
        if (attempt > patience) await setTimeout(Math.random() * attempt);
        const work = () => this.attempt(call, changes, attempt, done);
        const outcome = await (conflict === undefined ? work() : this.retries.run(conflict, work));
        if ('states' in outcome) return outcome.states;
        conflict = outcome.conflict;
      }
      const refused = refusalOf('too-much-contention');
      throw done.size === 0 ? refused : refused.with({}, partlyDone);
    } catch (error) {
      throw error instanceof Refusal && done.size > 0 ? error.afterEffect() : error;
    }
  }

  private async attempt<State, Event extends DomainEvent>(
    call: OperationContext,
    changes: readonly Change<State, Event>[],
    attempt: number,
    done: Set<string>,
  ): Promise<{ readonly states: readonly State[] } | { readonly conflict: string | undefined }> {
    const made = await Promise.all(changes.map((change) => this.decide(call, change, attempt, done)));
    const toRecord = made.filter((one) => one.events.length > 0);
    const mayBeOutdated = attempt === 0 && changes.some(({ trustsKnown }) => trustsKnown);
    if (toRecord.length === 0 && mayBeOutdated) return { conflict: undefined };
    try {
      const recorded = toRecord.length === 0 ? undefined : await this.record(call, toRecord, attempt);
      return { states: made.map((one) => (recorded?.get(one.stream) ?? one.loaded).state) };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      for (const { stream } of toRecord) this.loader.forget(stream);
      for (const { stream, events } of await recordedBefore(this.store, call.commandId, toRecord, error.stream)) {
        done.add(stream);
        for (const expected of call.expects ?? []) if (expected.stream === stream) expected.met = true;
        this.quota.recorded(call, events);
      }
      return { conflict: error.stream };
    }
  }

  /** @param done streams in which an earlier attempt recorded its change */
  private async decide<State, Event extends DomainEvent>(
    call: OperationContext,
    change: Change<State, Event>,
    attempt: number,
    done: ReadonlySet<string>,
  ): Promise<Decided<State, Event>> {
    const stream = streamOf(change.aggregate.category, call.workspaceId, change.id);
    const nothing = { change, stream, events: [], taking: new Map() as Taken, requested: nothingRequested() };
    if (done.has(stream)) return { ...nothing, loaded: await this.loader.load(change.aggregate, stream) };
    const known = change.trustsKnown && attempt === 0 ? this.loader.known<State>(stream) : undefined;
    const loaded = known && change.aggregate.exists(known.state) ? known : await this.load(call, change, stream);
    if (call.repeatable && (await this.wasRecorded(call, stream))) {
      return { ...nothing, loaded: await this.loader.load(change.aggregate, stream) };
    }
    const expected = call.expects?.find((one) => one.stream === stream);
    if (expected !== undefined && !expected.met && expected.revision !== loaded.revision) expected.moved();
    await this.admitted(call, change.aggregate, loaded.state);
    const before = await this.toDecideOn(call, change, loaded.state);
    const read = await this.texts.read(call.workspaceId, change.reads?.(before) ?? []);
    const decided = change.decide(before, read);
    if (decided.length === 0) return { ...nothing, loaded };
    const opens = () => wouldOpen(call, change.aggregate, { ...loaded, state: before, stream }, decided);
    authoriseEffects(call, { events: decided, before, opens });
    if (countsInQuota(call, decided, before)) await this.quota.mustHaveRoom(call);
    const requested: RequestedChanges = {
      names: change.reserves?.(before) ?? [],
      alongside: change.alongside?.(before, decided) ?? [],
      slots: change.slots?.(before, decided) ?? [],
    };
    // The record that the command returns is folded from these events, so its personal data is sealed too.
    const events = await this.personal.sealed(stream, decided);
    return { change, stream, loaded, events, taking: takingAway(call, decided, before, loaded.state), requested };
  }

  /** Personal data in the returned record is sealed. */
  async find<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    workspaceId: string,
    id: string,
  ): Promise<State | undefined> {
    const { state } = await this.loader.load(aggregate, streamOf(aggregate.category, workspaceId, id));
    return aggregate.exists(state) ? state : undefined;
  }

  private async admitted<State>(
    call: OperationContext,
    kind: Pick<Aggregate<State, never>, 'within' | 'is'>,
    state: State,
  ) {
    if (call.caller === undefined || state === undefined) return;
    await this.scopes.admit(call, kind, state);
  }

  private async toDecideOn<State, Event extends DomainEvent>(
    { workspaceId }: OperationContext,
    { aggregate }: Change<State, Event>,
    state: State,
  ): Promise<State> {
    return aggregate.personal ? this.opened(workspaceId, state) : state;
  }

  private get names() {
    const { store, loader, personal, clock, opened } = this;
    return { store, loader, personal, clock, opened };
  }

  private readonly opened = <Value>(workspaceId: string, value: Value) => this.personal.opened(workspaceId, value);

  private async load<State, Event extends DomainEvent>(
    call: OperationContext,
    { aggregate, begins }: Change<State, Event>,
    stream: string,
  ): Promise<Loaded<State>> {
    if (begins === true && !call.repeatable) return { state: aggregate.initial, revision: -1 };
    const loaded = await this.loader.load(aggregate, stream);
    if (!begins && !aggregate.exists(loaded.state)) {
      const deletedByThisCall = call.repeatable && (await this.wasRecorded(call, stream));
      if (!deletedByThisCall) aggregate.missing();
    }
    return loaded;
  }

  private async record<State, Event extends DomainEvent>(
    call: OperationContext,
    made: readonly Decided<State, Event>[],
    attempt: number,
  ): Promise<ReadonlyMap<string, Loaded<State>>> {
    for (const { change, loaded } of made) {
      if (attempt === 0 && loaded.revision === -1 && change.aggregate.limited && call.caller) {
        await this.limit.mustHaveRoom(change.aggregate, call.workspaceId);
      }
    }
    const metadata = metadataOf(call);
    const fresh = (event: DomainEvent, idSuffix: string): NewEvent => ({
      id: call.repeatable ? derivedUuid(`${call.commandId}/${idSuffix}`) : this.ids.uuid(),
      type: event.type,
      data: event.data,
      metadata,
    });
    const requested: RequestedChanges = {
      names: made.flatMap((one) => one.requested.names),
      alongside: made.flatMap((one) => one.requested.alongside),
      slots: made.flatMap((one) => one.requested.slots),
    };
    const reservations = await reservationsOf(this.names, call, requested.names, attempt, fresh);
    const others = await this.additions.of(call, requested, fresh);
    // Stores texts before the append of the events that refer to them, but after everything that may refuse the call.
    const requests = await Promise.all(made.map((one) => this.requestOf(call, one, fresh)));
    try {
      const appended = await this.store.append([...reservations, ...others, ...requests]);
      const answers = appended.slice(-requests.length);
      for (const expected of call.expects ?? []) {
        if (requests.some(({ stream }) => stream === expected.stream)) expected.met = true;
      }
      for (const { stream: changed } of others) this.loader.forget(changed);
      for (const recorded of [...reservations, ...others, ...made].map(({ events }) => events)) {
        this.quota.recorded(call, recorded);
      }
      const position = answers.at(-1)?.position ?? -1;
      const added = others.flatMap(({ stream: changed, events: more }) =>
        more.map((event, revision) => ({ ...event, stream: changed, revision, position })),
      );
      if (added.length > 0) this.readYourWrites.appended(position, added);
      const after = made.map(
        async (one, at) =>
          [one.stream, await this.stateAfter(call, one, requests[at], answers[at]?.position ?? position)] as const,
      );
      return new Map(await Promise.all(after));
    } catch (error) {
      if (error instanceof WrongExpectedRevision) for (const { stream } of others) this.loader.forget(stream);
      throw error;
    }
  }

  private async requestOf<State, Event extends DomainEvent>(
    { workspaceId }: OperationContext,
    { change, stream, loaded, events, taking }: Decided<State, Event>,
    fresh: (event: DomainEvent, idSuffix: string) => NewEvent,
  ): Promise<AppendRequest> {
    const recordable = await this.texts.recordable(change.aggregate, workspaceId, events, loaded.state);
    return {
      stream,
      expected: loaded.revision === -1 ? 'none' : loaded.revision,
      events: recordable.map((event, index) => withTaken(fresh(event, `${stream}/${index}`), taking.get(index))),
    };
  }

  private async stateAfter<State, Event extends DomainEvent>(
    call: OperationContext,
    { change, stream, loaded }: Decided<State, Event>,
    request: AppendRequest | undefined,
    position: number,
  ): Promise<Loaded<State>> {
    // If the command is repeatable, another attempt may have just recorded these events, with another time. The
    // recorded ones are therefore loaded.
    if (call.repeatable) return this.loader.load(change.aggregate, stream);
    const recorded = recordedNext<Event>(request?.events ?? [], stream, loaded, position);
    const after = advance(change.aggregate, loaded, recorded);
    this.loader.remember(stream, after);
    this.readYourWrites.appended(position, recorded as unknown as readonly RecordedEvent[]);
    return after;
  }

  private async wasRecorded({ commandId, firstTime, notBefore }: OperationContext, stream: string): Promise<boolean> {
    return firstTime !== true && this.loader.recordedBy(stream, commandId, notBefore);
  }
}
