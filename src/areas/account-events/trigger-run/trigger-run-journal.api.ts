import { Injectable } from '@nestjs/common';
import { systemActor } from '../../../engine/calls.js';
import { Watermark } from '../../../engine/watermark.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { Clock } from '../../../ports/clock.port.js';
import {
  type AppendOptions,
  type AppendRequest,
  EventStore,
  type ExpectedRevision,
} from '../../../ports/event-store.port.js';
import { type RecordedTriggerRunEvent, type TriggerRunEvent, triggerRunCategory } from './trigger-run.record.js';

/** One entry of a workspace's journal. */
export interface JournalEntry {
  readonly workspaceId: string;
  /** A UUID, always the same for the same entry. */
  readonly id: string;
  readonly event: TriggerRunEvent;
  /** The writer: a saga's name. */
  readonly operation: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** Default: append at any revision. */
  readonly expected?: ExpectedRevision;
}

export interface Written {
  readonly revision: number;
  readonly position: number;
}

export const journalOf = (workspaceId: string) => streamOf(triggerRunCategory, workspaceId, workspaceId);

/** Writes what triggers did. A repeated entry is recorded once. */
@Injectable()
export class TriggerRunJournal {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly watermark: Watermark,
  ) {}

  /** Durable when it resolves, one after the other. Answers the revision of each. */
  async write(entries: readonly JournalEntry[], options: AppendOptions = {}): Promise<readonly Written[]> {
    if (entries.length === 0) return [];
    const requests = entries.map((entry) => this.request(entry));
    const written = await this.store.append(requests, options);
    written.forEach(({ position }, at) => {
      const { stream, events } = requests[at] ?? { stream: '', events: [] };
      this.watermark.appended(
        position,
        events.map(({ type }) => ({ stream, type })),
      );
    });
    return written;
  }

  /** The entry at this revision. If two processes wrote it, the first one's. */
  async at(workspaceId: string, revision: number): Promise<RecordedTriggerRunEvent | undefined> {
    const [entry] = await this.store.readStream(journalOf(workspaceId), { from: revision, limit: 1 });
    return entry as RecordedTriggerRunEvent | undefined;
  }

  private request({ workspaceId, id, event, expected = 'any', ...cause }: JournalEntry): AppendRequest {
    const { operation, correlationId, causationId } = cause;
    const metadata = {
      workspaceId,
      actor: systemActor(operation),
      correlationId,
      causationId,
      commandId: id,
      operation,
      at: new Date(this.clock.now()).toISOString(),
    };
    return { stream: journalOf(workspaceId), expected, events: [{ ...event, id, metadata }] };
  }
}
