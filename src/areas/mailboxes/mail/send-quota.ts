import { Injectable, Logger } from '@nestjs/common';
import { PerDryRun } from '../../../engine/dry-run/dry-run.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import type { EventMetadata, NewEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore, WrongExpectedRevision } from '../../../ports/event-store.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { refuse } from '../mailboxes.refusals.js';
import { type Hour, type MailUseEvent, mailUseCategory } from './mail.record.js';
import { noHour } from './quota-hour.js';

type Decide = (hour: Hour) => MailUseEvent | undefined;

interface QuotaRequest {
  readonly decide: Decide;
  readonly by: EventMetadata;
  readonly answer: (event: MailUseEvent | undefined, hour: Hour) => void;
  readonly fail: (error: unknown) => void;
}

interface QuotaState {
  readonly revision: number;
  readonly hour: Hour;
}

const tries = 50;
const pruneEvery = 200;

/**
 * Stores the hourly quotas of mailboxes. The last event of a mailbox's stream is its state. Appends require the
 * expected revision, so two processes cannot both use the last part of a quota.
 */
@Injectable()
export class SendQuota {
  private readonly log = new Logger('Mailboxes');
  private readonly pending = new PerDryRun(() => new Map<string, QuotaRequest[]>());
  private readonly known = new PerDryRun(() => new Map<string, QuotaState>());

  constructor(
    private readonly events: EventStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  /**
   * Resolves when the change is durable and visible to all later reads.
   * @throws EventStoreUnavailable
   */
  change(
    by: EventMetadata,
    mailAccountId: string,
    decide: Decide,
  ): Promise<{ readonly event: MailUseEvent | undefined; readonly hour: Hour }> {
    const stream = streamOf(mailUseCategory, by.workspaceId, mailAccountId);
    const { promise, resolve, reject } = Promise.withResolvers<{ event: MailUseEvent | undefined; hour: Hour }>();
    const one: QuotaRequest = { decide, by, answer: (event, hour) => resolve({ event, hour }), fail: reject };
    const others = this.pending.now.get(stream);
    if (others) others.push(one);
    else {
      this.pending.now.set(stream, [one]);
      void this.work(stream);
    }
    return promise;
  }

  private async work(stream: string): Promise<void> {
    for (;;) {
      const requests = this.pending.now.get(stream)?.splice(0) ?? [];
      if (requests.length === 0) break;
      await this.record(stream, requests).catch((error: unknown) => {
        this.known.now.delete(stream);
        for (const { fail } of requests) fail(error);
      });
    }
    this.pending.now.delete(stream);
    // Limits the size of the cache. A state that is no longer cached is read from its stream again.
    if (this.known.now.size > 1_000) this.known.now.clear();
  }

  private async record(stream: string, requests: readonly QuotaRequest[]): Promise<void> {
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const before = this.known.now.get(stream) ?? (await this.stateOf(stream));
      let { hour } = before;
      const decided = requests.map(({ decide }) => {
        const judged = hour;
        const event = decide(judged);
        if (event !== undefined) hour = event.data.hour;
        return { event, hour: judged };
      });
      const fresh = decided.flatMap(({ event }, at) => this.newEvent(event, requests[at]?.by));
      // A decision to record nothing can be based on an outdated cached state, so it is repeated with the stream's
      // current state.
      if (fresh.length === 0 && attempt === 0 && this.known.now.has(stream)) {
        this.known.now.delete(stream);
        continue;
      }
      if (fresh.length > 0 && !(await this.append(stream, before, fresh, hour))) continue;
      for (const [at, { answer }] of requests.entries()) answer(decided[at]?.event, decided[at]?.hour ?? hour);
      return;
    }
    refuse('too-much-contention');
  }

  private async append(
    stream: string,
    { revision }: QuotaState,
    events: readonly NewEvent[],
    hour: Hour,
  ): Promise<boolean> {
    try {
      const [appended] = await this.events.append([{ stream, expected: revision === -1 ? 'none' : revision, events }]);
      if (appended === undefined) throw new Error('The event store returned no result for an append.');
      this.known.now.set(stream, { revision: appended.revision, hour });
      this.readYourWrites.appended(
        appended.position,
        events.map(({ type }) => ({ stream, type })),
      );
      if (Math.floor(revision / pruneEvery) < Math.floor(appended.revision / pruneEvery)) {
        this.events
          .truncate(stream, appended.revision)
          .catch((error: unknown) =>
            this.log.warn(`Outdated entries of a mailbox's quota could not be removed: ${reasonOf(error)}`),
          );
      }
      return true;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      this.known.now.delete(stream);
      return false;
    }
  }

  private async stateOf(stream: string): Promise<QuotaState> {
    const [last] = await this.events.readStream(stream, { direction: 'backward', limit: 1 });
    if (last === undefined) return { revision: -1, hour: noHour };
    return { revision: last.revision, hour: (last.data as MailUseEvent['data']).hour };
  }

  private newEvent(event: MailUseEvent | undefined, by: EventMetadata | undefined): readonly NewEvent[] {
    if (event === undefined || by === undefined) return [];
    const at = new Date(this.clock.now()).toISOString();
    return [{ ...event, id: this.ids.uuid(), metadata: { ...by, at } }];
  }
}
