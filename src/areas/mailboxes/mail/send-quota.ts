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

/** A change of a mailbox's hour. Returns undefined if there is nothing to record. */
type Decide = (hour: Hour) => MailUseEvent | undefined;

interface Asked {
  readonly decide: Decide;
  readonly by: EventMetadata;
  /** Receives the recorded event, or undefined, and the hour on which it was decided. */
  readonly answer: (event: MailUseEvent | undefined, hour: Hour) => void;
  readonly fail: (error: unknown) => void;
}

interface Standing {
  readonly revision: number;
  readonly hour: Hour;
}

const tries = 50;
/** The stream is pruned when it has this many outdated events. */
const pruneEvery = 200;

/**
 * The hourly quotas of mailboxes, each a stream whose last event is the state. Appends require the expected revision,
 * so the last part of a quota is used only once across processes. Concurrent requests in one process are recorded
 * together, in order.
 */
@Injectable()
export class SendQuota {
  private readonly log = new Logger('Mailboxes');
  private readonly asked = new PerDryRun(() => new Map<string, Asked[]>());
  /** The revision and state of each stream when this process last wrote it. */
  private readonly known = new PerDryRun(() => new Map<string, Standing>());

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
    const one: Asked = { decide, by, answer: (event, hour) => resolve({ event, hour }), fail: reject };
    const others = this.asked.now.get(stream);
    if (others) others.push(one);
    else {
      this.asked.now.set(stream, [one]);
      void this.work(stream);
    }
    return promise;
  }

  private async work(stream: string): Promise<void> {
    for (;;) {
      const together = this.asked.now.get(stream)?.splice(0) ?? [];
      if (together.length === 0) break;
      await this.record(stream, together).catch((error: unknown) => {
        this.known.now.delete(stream);
        for (const { fail } of together) fail(error);
      });
    }
    this.asked.now.delete(stream);
    // No requests are pending now. The memory of streams must not grow with the number of mailboxes.
    if (this.known.now.size > 1_000) this.known.now.clear();
  }

  private async record(stream: string, together: readonly Asked[]): Promise<void> {
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const before = this.known.now.get(stream) ?? (await this.standing(stream));
      let { hour } = before;
      const decided = together.map(({ decide }) => {
        const judged = hour;
        const event = decide(judged);
        if (event !== undefined) hour = event.data.hour;
        return { event, hour: judged };
      });
      const fresh = decided.flatMap(({ event }, at) => this.newEvent(event, together[at]?.by));
      // The decision to record nothing may be based on an outdated state, so it is repeated with the stream's current
      // one.
      if (fresh.length === 0 && attempt === 0 && this.known.now.has(stream)) {
        this.known.now.delete(stream);
        continue;
      }
      if (fresh.length > 0 && !(await this.append(stream, before, fresh, hour))) continue;
      for (const [at, { answer }] of together.entries()) answer(decided[at]?.event, decided[at]?.hour ?? hour);
      return;
    }
    refuse('too-much-contention');
  }

  /** Resolves to false if another writer was first. */
  private async append(
    stream: string,
    { revision }: Standing,
    events: readonly NewEvent[],
    hour: Hour,
  ): Promise<boolean> {
    try {
      const [appended] = await this.events.append([{ stream, expected: revision === -1 ? 'none' : revision, events }]);
      if (appended === undefined) throw new Error('The event store answered an append with nothing.');
      this.known.now.set(stream, { revision: appended.revision, hour });
      this.readYourWrites.appended(
        appended.position,
        events.map(({ type }) => ({ stream, type })),
      );
      if (Math.floor(revision / pruneEvery) < Math.floor(appended.revision / pruneEvery)) {
        this.events
          .truncate(stream, appended.revision)
          .catch((error: unknown) =>
            this.log.warn(`What a mailbox no longer counts is still kept: ${reasonOf(error)}`),
          );
      }
      return true;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      this.known.now.delete(stream);
      return false;
    }
  }

  private async standing(stream: string): Promise<Standing> {
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
