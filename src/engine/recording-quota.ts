import { Injectable, Logger } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import type { DomainEvent, RecordedEvent } from '../kernel/event.js';
import { reasonOf } from '../kernel/reason.js';
import { refuse } from '../kernel/refusal.js';
import { streamOf } from '../kernel/stream-name.js';
import { Clock } from '../ports/clock.port.js';
import { EventStore } from '../ports/event-store.port.js';
import { Ids } from '../ports/ids.port.js';
import { Calls, systemActor } from './calls.js';
import { metadataOf } from './operation/call.js';
import { sizeOf } from './size-of.js';

interface Day {
  readonly date: string;
  /** Counted here and not noted in the log yet. */
  own: number;
  /** As the log says, of all processes. */
  noted: number;
  /** When the log was last asked; before that, nothing is known of the day so far. */
  lookedAt: number;
}

const dayMs = 86_400_000;
/** How much a process records of a workspace, as a part of the quota, before it notes it for the others. */
const noteEvery = 1 / 64;
/** How long another process's notes may stay unread. */
const lookEveryMs = 10_000;
/** What stands around an event's data: ids, names, actor, time. */
const envelopeBytes = 600;
const category = 'recordedBytes';

/**
 * How much the commands of a workspace record a day, by UTC. The log is never pruned of it, so there is an end to it.
 * Each process counts what it appends and notes it in the log now and then, in a stream a day; so the count holds over
 * restarts and over processes, but for a sixty-fourth of the quota in each of them.
 */
@Injectable()
export class RecordingQuota {
  private readonly log = new Logger('Quota');
  private readonly days = new Map<string, Day>();

  constructor(
    private readonly environment: Environment,
    private readonly store: EventStore,
    private readonly calls: Calls,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** Counts what a command has appended. Never in its way. */
  recorded(workspaceId: string, events: readonly DomainEvent[]): void {
    const { workspaceDayBytes } = this.environment.edge;
    if (workspaceDayBytes === 0) return;
    const day = this.dayOf(workspaceId);
    for (const event of events) day.own += envelopeBytes + sizeOf(event.data);
    if (day.own < workspaceDayBytes * noteEvery) return;
    const bytes = day.own;
    day.own = 0;
    day.noted += bytes;
    this.note(workspaceId, day.date, bytes).catch((error: unknown) => {
      day.own += bytes;
      day.noted -= bytes;
      this.log.warn(`How much ${workspaceId} has recorded today was not noted: ${reasonOf(error)}`);
    });
  }

  /** @throws Refusal workspace-quota, until midnight UTC */
  async mustHaveRoom(workspaceId: string): Promise<void> {
    const { workspaceDayBytes } = this.environment.edge;
    if (workspaceDayBytes === 0) return;
    const day = this.dayOf(workspaceId);
    await this.look(workspaceId, day);
    if (day.own + day.noted < workspaceDayBytes) return;
    const retryAfterSeconds = Math.ceil((dayMs - (this.clock.now() % dayMs)) / 1_000);
    refuse('workspace-quota', { megabytes: workspaceDayBytes / 1024 / 1024 }, { retryAfterSeconds });
  }

  /** Today's count; yesterday's is over. */
  private dayOf(workspaceId: string): Day {
    const date = new Date(this.clock.now()).toISOString().slice(0, 10);
    const held = this.days.get(workspaceId);
    if (held?.date === date) return held;
    const day = { date, own: 0, noted: 0, lookedAt: Number.NEGATIVE_INFINITY };
    this.days.set(workspaceId, day);
    return day;
  }

  private async look(workspaceId: string, day: Day): Promise<void> {
    const now = this.clock.now();
    // Without other processes, nobody else notes anything.
    const isKnown = this.environment.shared ? now - day.lookedAt < lookEveryMs : day.lookedAt > 0;
    if (isKnown) return;
    day.lookedAt = now;
    const before = day.noted;
    const stream = streamOf(category, workspaceId, day.date);
    const notes = await this.store.readStream(stream).catch((error: unknown) => {
      day.lookedAt = Number.NEGATIVE_INFINITY;
      throw error;
    });
    // What was noted here meanwhile may or may not be among them.
    day.noted = notes.reduce((sum, note) => sum + bytesIn(note), 0) + (day.noted - before);
  }

  private async note(workspaceId: string, date: string, bytes: number): Promise<void> {
    const call = this.calls.once(workspaceId, systemActor('recording-quota'), 'recording-quota');
    const event = { id: this.ids.uuid(), type: 'BytesRecorded', data: { bytes }, metadata: metadataOf(call) };
    await this.store.append([{ stream: streamOf(category, workspaceId, date), expected: 'any', events: [event] }]);
  }
}

const bytesIn = ({ data }: RecordedEvent) => (data as { readonly bytes: number }).bytes;
