import { Logger } from '@nestjs/common';
import { allSettled } from '../../kernel/all-settled.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import { isReadable } from '../../kernel/event/unreadable-event.js';
import { KeyedMutex } from '../../kernel/keyed-mutex.js';
import type { Clock } from '../../ports/clock.port.js';
import type { EventStore, Subscription } from '../../ports/event-store.port.js';
import { CheckpointMoved, type ReadStore } from '../../ports/read-store.port.js';
import { faultReason } from '../cluster/fault-reason.js';
import type { StoreRetry } from '../cluster/store-retry.js';
import type { Calls } from '../operation/calls.js';
import type { ReadYourWrites } from '../read-models/read-your-writes.js';
import { haltSentence, NewerVersionNeeded } from '../read-models/understood-log.js';
import { type Fault, type ParkedEvent, ParkedEvents, parkedOf, prepareParking, sagaBuild } from './parked-events.js';
import type { Saga } from './saga.js';
import { SagaAttempts } from './saga-attempts.js';
import { sagaBeginning } from './saga-beginning.js';
import { type SagaRetryAsked, sagaRetryAsked } from './saga-retries.js';

const dueEveryMs = 10_000;

export interface SagaParts {
  readonly events: EventStore;
  readonly store: ReadStore;
  readonly calls: Calls;
  readonly readYourWrites: ReadYourWrites;
  readonly storeRetry: StoreRetry;
  readonly clock: Clock;
}

export class SagaRun {
  private readonly log = new Logger('Sagas');
  private readonly attempts: SagaAttempts;
  /** New events and retries of parked ones are handled one at a time, so that the events of a subject stay in order. */
  private readonly turns = new KeyedMutex();
  private readonly stopping = new AbortController();
  private parked: ParkedEvents;
  private checkpoint = -1;
  private handled = -1;
  private storing: Promise<void> | undefined;
  private isPrepared = false;
  private subscription: Subscription | undefined;
  private starting: Promise<void> = Promise.resolve();
  private callOff = () => {};
  /**
   * Reason for the latest failure; undefined if a delivery has succeeded since. Also set if the saga stops before an
   * event that only a newer version of the service knows.
   */
  trouble: string | undefined;

  /** @param lost called if another process has moved the checkpoint, because it runs the same saga */
  constructor(
    readonly saga: Saga,
    private readonly parts: SagaParts,
    private readonly lost: () => void,
  ) {
    this.attempts = new SagaAttempts(parts.storeRetry, parts.clock);
    this.parked = new ParkedEvents(saga.name, [], -1);
  }

  get parkedEvents(): readonly ParkedEvent[] {
    return this.parked.all;
  }

  get position(): number {
    return this.subscription?.position ?? this.checkpoint;
  }

  start(): Promise<void> {
    this.starting = this.follow();
    return this.starting;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.starting.catch(() => undefined);
    this.callOff();
    await this.subscription?.stop();
    await this.turns.run(this.saga.name, async () => {});
    this.parts.store.flushSoon();
    await this.storing;
  }

  private async follow(): Promise<void> {
    const { name, reads } = this.saga;
    this.checkpoint = await this.parts.store.checkpoint(sagaBuild(name));
    await this.load();
    const after = await sagaBeginning(this.saga, this.checkpoint, this.parts.events);
    if (this.stopping.signal.aborted) return;
    this.saga.begins?.();
    if (after > this.checkpoint) this.storeSoon(after);
    this.subscription = this.parts.events.subscribe({
      types: [...reads, sagaRetryAsked],
      after,
      handle: (events, caughtUpTo) => this.turns.run(name, () => this.take(events, caughtUpTo)),
      stopped: (why) => {
        if (!(why instanceof NewerVersionNeeded)) return;
        this.trouble = `a newer version recorded ${why.eventDescription}`;
        this.log.error(haltSentence(`The saga ${name}`, why));
      },
    });
    // A new version of the saga may be able to handle the parked events, so all are tried again.
    this.retry(() => true);
    this.retryDueOnes();
  }

  private async load(): Promise<void> {
    const stored = await parkedOf(this.parts.store, this.saga.name);
    this.parked = new ParkedEvents(this.saga.name, stored, this.checkpoint);
  }

  private async take(events: readonly RecordedEvent[], caughtUpTo: number): Promise<void> {
    const last = events.at(-1);
    // Without a checkpoint, a saga that skips history might skip its first event after a restart.
    if (last === undefined && this.saga.skipsHistory && this.checkpoint < 0) this.storeSoon(caughtUpTo);
    if (last === undefined) return;
    try {
      if (this.trouble !== undefined) await this.load();
      const own = events.filter(({ type }) => type !== sagaRetryAsked);
      if (this.saga.reactToAll !== undefined) await this.reactTogether(own);
      else await this.reactInTurns(own);
      if (this.parked.unwritten.length > 0) await this.commit(last.position);
      else this.storeSoon(last.position);
      this.trouble = undefined;
    } catch (error) {
      this.trouble = faultReason(error);
      if (error instanceof CheckpointMoved) this.lost();
      throw error;
    }
    const asked = events.filter((event) => event.type === sagaRetryAsked && isReadable(event));
    for (const event of asked) this.retryAsked(event as unknown as SagaRetryAsked);
  }

  private async reactInTurns(events: readonly RecordedEvent[]): Promise<void> {
    const atOnce = this.saga.atOnce ?? 1;
    for (let done = 0; done < events.length; done += atOnce) {
      const bySubject = Map.groupBy(events.slice(done, done + atOnce), (event) => this.subjectOf(event));
      const works = [...bySubject.values()].map(async (ofSubject) => {
        for (const event of ofSubject) await this.reactTo(event);
      });
      await allSettled(works);
    }
  }

  /** After a failure, splits the events in half and tries each half, so that only the failing events are parked. */
  private async reactTogether(events: readonly RecordedEvent[]): Promise<void> {
    const free: RecordedEvent[] = [];
    for (const event of events) if (!this.waits(event)) free.push(event);
    const [only] = free;
    if (only === undefined) return;
    if (free.length === 1) return this.reactTo(only);
    const work = async () => this.saga.reactToAll?.(free);
    if ((await this.attempts.run(work, this.stopping.signal, { tries: 1 })) === undefined) {
      for (const event of free) this.parked.passed(event);
      return;
    }
    const half = Math.ceil(free.length / 2);
    await this.reactTogether(free.slice(0, half));
    await this.reactTogether(free.slice(half));
  }

  private async reactTo(event: RecordedEvent): Promise<void> {
    if (this.waits(event)) return;
    const tries = this.attempts.triesFor(this.parked.first.length);
    const fault = await this.attempts.run(() => this.act(event), this.stopping.signal, { tries });
    if (fault === undefined) return this.parked.passed(event);
    this.parked.add(event, this.subjectOf(event), this.now(), fault);
    this.log.error(
      `${this.saga.name} parked ${event.type} of ${event.stream} at ${event.position} after ${fault.tries} tries: ` +
        `${fault.reason}. Later events of ${this.subjectOf(event)} wait; all others are processed. 'sagas:list' shows it, 'sagas:retry' retries it.`,
    );
  }

  /** Returns whether an earlier event of the same subject is parked. If so, parks this event too. */
  private waits(event: RecordedEvent): boolean {
    const subject = this.subjectOf(event);
    if (!this.parked.has(subject)) return false;
    this.parked.add(event, subject, this.now());
    return true;
  }

  private async act(event: RecordedEvent): Promise<void> {
    const { name } = this.saga;
    if (this.saga.reactToAll !== undefined) return this.saga.reactToAll([event]);
    this.parts.readYourWrites.observed(event.position);
    await this.saga.react(event, (step) => this.parts.calls.because(event, name, step));
  }

  private retryAsked({ stream, data }: SagaRetryAsked): void {
    if (parseStream(stream).id !== this.saga.name) return;
    const { positions } = data;
    this.retry(({ position }) => positions === 'all' || positions.includes(position));
  }

  private retryDueOnes(): void {
    this.callOff = this.parts.clock.after(dueEveryMs, () => {
      const now = this.now();
      this.retry(({ againAt }) => againAt !== null && againAt <= now);
      this.retryDueOnes();
    });
  }

  private retry(which: (parked: ParkedEvent) => boolean): void {
    const subjects = new Set(this.parked.all.filter(which).map(({ subject }) => subject));
    for (const subject of subjects) {
      this.turns
        .run(this.saga.name, () => this.retrySubject(subject))
        .catch((error: unknown) => {
          if (error instanceof CheckpointMoved) this.lost();
          // If the commit failed, the parked events in memory can differ from the stored ones. The next delivery loads
          // them from the store.
          this.trouble ??= this.stopping.signal.aborted ? undefined : faultReason(error);
        });
    }
  }

  private async retrySubject(subject: string): Promise<void> {
    for (const parked of [...this.parked.eventsOf(subject)]) {
      if (this.stopping.signal.aborted) return;
      const fault = await this.tryAgain(parked);
      if (fault === undefined) this.parked.done(parked);
      else this.parked.failed(parked, fault, this.checkpoint);
      await this.commit(this.checkpoint);
      if (fault !== undefined) return;
      this.log.log(
        `${this.saga.name} processed ${parked.type} of ${parked.stream} at ${parked.position}, which was parked or waiting.`,
      );
    }
  }

  private tryAgain({ stream, revision, tries: before }: ParkedEvent): Promise<Fault | undefined> {
    const work = async () => {
      const [event] = await this.parts.events.readStream(stream, { from: revision, limit: 1 });
      if (event?.revision === revision) await this.act(event);
    };
    return this.attempts.run(work, this.stopping.signal, { tries: 1, before });
  }

  /**
   * If the process dies before the position is stored, events are delivered again. Reacting to them again is harmless,
   * because the command ids are derived from the events.
   */
  private storeSoon(position: number): void {
    this.handled = position;
    this.storing ??= this.storePosition().finally(() => {
      this.storing = undefined;
    });
  }

  private async storePosition(): Promise<void> {
    const { store, storeRetry } = this.parts;
    try {
      while (this.handled > this.checkpoint) {
        const position = this.handled;
        const build = sagaBuild(this.saga.name);
        await storeRetry.untilAvailable(() => store.commit(build, this.checkpoint, position, []), this.stopping.signal);
        this.checkpoint = position;
      }
    } catch (error) {
      if (error instanceof CheckpointMoved) this.lost();
      if (!this.stopping.signal.aborted) this.trouble = faultReason(error);
    }
  }

  private async commit(position: number): Promise<void> {
    await this.storing;
    const { store, storeRetry } = this.parts;
    // Later events may have been handled already. The position must not move back.
    const upTo = Math.max(position, this.handled, this.checkpoint);
    const writes = this.parked.unwritten;
    await storeRetry.untilAvailable(async () => {
      if (writes.length > 0) await this.prepareStore();
      const written = store.commit(sagaBuild(this.saga.name), this.checkpoint, upTo, writes);
      // The next events are delivered after this commit, so it must not wait to be batched with others.
      store.flushSoon();
      await written;
    }, this.stopping.signal);
    this.parked.committed();
    this.checkpoint = upTo;
  }

  /**
   * The collection of parked events is created when it is first needed. Most sagas never need it and start faster
   * without it.
   */
  private async prepareStore(): Promise<void> {
    if (!this.isPrepared) await prepareParking(this.parts.store, this.saga.name);
    this.isPrepared = true;
  }

  private subjectOf(event: RecordedEvent): string {
    return this.saga.subjectOf?.(event) ?? event.stream;
  }

  private now(): string {
    return new Date(this.parts.clock.now()).toISOString();
  }
}
