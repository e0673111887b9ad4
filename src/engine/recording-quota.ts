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
import { currentTrial } from './trial/trial.js';

interface Day {
  readonly date: string;
  /** Counted in this process and not yet written to the log. */
  own: number;
  /** The total of all processes according to the log. */
  noted: number;
  /** When the log was last read; 0: not yet, so the day's total is unknown. */
  lookedAt: number;
}

const dayMs = 86_400_000;
/** A process writes its count to the log whenever it has grown by this part of the quota. */
const noteEvery = 1 / 64;
/** How often the counts of other processes are read. */
const lookEveryMs = 10_000;
/** Estimated size of what surrounds an event's data: ids, names, actor, time. */
const envelopeBytes = 600;
const category = 'recordedBytes';

/**
 * Limits how much the commands of a workspace record per UTC day, because the audit is never pruned. Each process counts
 * what it appends and writes its count to the log from time to time, in one stream per day. So the total is right over
 * restarts and processes, to within a sixty-fourth of the quota per process.
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

  /** Counts what a command has appended. Never delays or fails the command. */
  recorded(workspaceId: string, events: readonly DomainEvent[]): void {
    const { workspaceDayBytes } = this.environment.edge;
    if (workspaceDayBytes === 0 || currentTrial() !== undefined) return;
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

  /** Today's count; yesterday's is dropped. */
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
    // In a single process nobody else writes counts.
    const isKnown = this.environment.shared ? now - day.lookedAt < lookEveryMs : day.lookedAt > 0;
    if (isKnown) return;
    day.lookedAt = now;
    const before = day.noted;
    const stream = streamOf(category, workspaceId, day.date);
    const notes = await this.store.readStream(stream).catch((error: unknown) => {
      day.lookedAt = Number.NEGATIVE_INFINITY;
      throw error;
    });
    // Counts that this process wrote during the read may or may not be included.
    day.noted = notes.reduce((sum, note) => sum + bytesIn(note), 0) + (day.noted - before);
  }

  private async note(workspaceId: string, date: string, bytes: number): Promise<void> {
    const call = this.calls.once(workspaceId, systemActor('recording-quota'), 'recording-quota');
    const event = { id: this.ids.uuid(), type: 'BytesRecorded', data: { bytes }, metadata: metadataOf(call) };
    await this.store.append([{ stream: streamOf(category, workspaceId, date), expected: 'any', events: [event] }]);
  }
}

const bytesIn = ({ data }: RecordedEvent) => (data as { readonly bytes: number }).bytes;
