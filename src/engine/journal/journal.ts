import { Injectable } from '@nestjs/common';
import { derivedUuid } from '../../kernel/event/derived-id.js';
import type { DomainEvent, EventMetadata, NewEvent, RecordedEvent } from '../../kernel/event/event.js';
import { Clock } from '../../ports/clock.port.js';
import {
  type Appended,
  type AppendOptions,
  type AppendRequest,
  EventStore,
  EventStoreUnavailable,
  type ExpectedRevision,
  WrongExpectedRevision,
} from '../../ports/event-store.port.js';
import { Ids } from '../../ports/ids.port.js';
import { RecordingQuota } from '../quotas/recording-quota.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';
import { refuse } from '../refusals/engine.refusals.js';

export interface JournalEvent extends DomainEvent {
  /** The event id is derived from this text, so a repeated write is recorded once. Default: a new id. */
  readonly once?: string;
}

type Defaulted = 'commandId' | 'correlationId' | 'causationId' | 'at';

/**
 * Defaults: `commandId` is the id of the first event, `correlationId` is the command id, `causationId` is null, and
 * `at` is the current time.
 */
export type WrittenBy = Omit<EventMetadata, Defaulted> & Partial<Pick<EventMetadata, Defaulted>>;

export interface JournalEntry {
  readonly stream: string;
  readonly by: WrittenBy;
  /** Must contain at least one event. */
  readonly events: readonly JournalEvent[];
  readonly expected?: ExpectedRevision;
  /** Id of a site. If set, the write counts in the quota of this site's visitors. */
  readonly visitedSite?: string | undefined;
}

export interface Written extends Appended {
  readonly events: readonly NewEvent[];
}

/**
 * Journals are streams of many small events. A write is durable when the promise resolves, and later reads in this
 * process include it.
 */
@Injectable()
export class Journal {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly readYourWrites: ReadYourWrites,
    private readonly ids: Ids,
    private readonly quota: RecordingQuota,
  ) {}

  /** @throws WrongExpectedRevision, EventStoreUnavailable */
  async append(entry: JournalEntry, options: AppendOptions = {}): Promise<Written> {
    const [written] = await this.appendAll([entry], options);
    return written ?? answeredWithNothing();
  }

  /**
   * If one entry fails, the entries before it can remain recorded.
   * @throws WrongExpectedRevision, EventStoreUnavailable
   */
  async appendAll(entries: readonly JournalEntry[], options: AppendOptions = {}): Promise<readonly Written[]> {
    if (entries.length === 0) return [];
    const requests = entries.map((entry) => this.requestFor(entry));
    const appended = await this.store.append(requests, options);
    for (const { by, visitedSite, events } of entries) {
      this.quota.recorded({ workspaceId: by.workspaceId, visitedSite }, events, 'runs');
    }
    return requests.map(({ stream, events }, at) => {
      const { revision, position } = appended[at] ?? answeredWithNothing();
      this.readYourWrites.appended(
        position,
        events.map(({ type }) => ({ stream, type })),
      );
      return { revision, position, events };
    });
  }

  /**
   * If the stream does not have the expected revision, records nothing and returns undefined.
   * @throws EventStoreUnavailable
   */
  async appendIfFirst(entry: JournalEntry): Promise<Written | undefined> {
    try {
      return await this.append(entry);
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return undefined;
      throw error;
    }
  }

  async last(stream: string): Promise<RecordedEvent | undefined> {
    const [last] = await this.store.readStream(stream, { direction: 'backward', limit: 1 });
    return last;
  }

  /** If the event at this revision was pruned, returns the first event after it. */
  async at(stream: string, revision: number): Promise<RecordedEvent | undefined> {
    const [event] = await this.store.readStream(stream, { from: revision, limit: 1 });
    return event;
  }

  /** Returns the latest event of this type. Reads backward until it finds one, to the first event if there is none. */
  async lastOf(stream: string, type: string): Promise<RecordedEvent | undefined> {
    for (let from: { readonly from?: number } = {}; ; ) {
      const page = await this.store.readStream(stream, { ...from, direction: 'backward', limit: pageSize });
      const found = page.find((event) => event.type === type);
      const oldest = page.at(-1);
      if (found !== undefined || oldest === undefined || oldest.revision === 0) return found;
      from = { from: oldest.revision - 1 };
    }
  }

  /**
   * Returns the event that was written with `once`, if it is among the stream's latest events. For use when the outcome
   * of a write is unknown.
   * @throws EventStoreUnavailable
   */
  async find(stream: string, once: string): Promise<RecordedEvent | undefined> {
    const id = derivedUuid(once);
    const latest = await this.store.readStream(stream, { direction: 'backward', limit: lookBack });
    return latest.find((event) => event.id === id);
  }

  /**
   * Records a summary of the events up to `throughRevision` before pruning them, so that a rebuild of the read models
   * gives the same state even after a crash. If the stream does not have the expected revision, does nothing and
   * returns false.
   */
  async forget(entry: JournalEntry, throughRevision: number): Promise<boolean> {
    if ((await this.appendIfFirst(entry)) === undefined) return false;
    await this.prune(entry.stream, throughRevision);
    return true;
  }

  /** Removes the events up to and including this revision; -1 removes none. Idempotent. */
  async prune(stream: string, throughRevision: number): Promise<void> {
    if (throughRevision >= 0) await this.store.truncate(stream, throughRevision + 1);
  }

  private requestFor({ stream, by, events, expected = 'any' }: JournalEntry): AppendRequest {
    const made = events.map(({ once, type, data }) => {
      return { id: once === undefined ? this.ids.uuid() : derivedUuid(once), type, data };
    });
    const commandId = by.commandId ?? made[0]?.id ?? this.ids.uuid();
    const at = new Date(this.clock.now()).toISOString();
    const metadata = { correlationId: commandId, causationId: null, at, ...by, commandId };
    return { stream, expected, events: made.map((event) => ({ ...event, metadata })) };
  }
}

const lookBack = 1_000;
const pageSize = 100;

/** @throws Refusal store-unavailable if the event store is unavailable */
export async function refusingWhenAway<Answer>(write: () => Promise<Answer>): Promise<Answer> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof EventStoreUnavailable)) throw error;
    return refuse('store-unavailable', { store: 'event store' }, { retryAfterSeconds: 5 });
  }
}

function answeredWithNothing(): never {
  throw new Error('The event store returned no result for an append.');
}
