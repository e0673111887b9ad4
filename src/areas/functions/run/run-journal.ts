import { Injectable } from '@nestjs/common';
import { derivedUuid } from '../../../engine/derived-id.js';
import { Watermark } from '../../../engine/watermark.js';
import type { EventMetadata } from '../../../kernel/event.js';
import { refuse } from '../../../kernel/refusal.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { Clock } from '../../../ports/clock.port.js';
import {
  type Appended,
  type AppendOptions,
  EventStore,
  EventStoreUnavailable,
} from '../../../ports/event-store.port.js';
import type { RunRequest } from './function-runs.api.js';
import { type RunEvent, runCategory } from './run.record.js';

export type RunOrigin = Pick<
  RunRequest,
  'workspaceId' | 'functionId' | 'runId' | 'actor' | 'correlationId' | 'causationId'
>;

/** Writes a function's run journal. Runs do not compete: every entry is appended without checking the revision. */
@Injectable()
export class RunJournal {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly watermark: Watermark,
  ) {}

  /** Durable when it resolves, and visible to all later reads. @throws Refusal store-unavailable */
  async write(origin: RunOrigin, events: readonly RunEvent[], options: AppendOptions = {}): Promise<Appended> {
    const metadata = this.metadata(origin);
    const request = {
      stream: streamFor(origin),
      expected: 'any' as const,
      events: events.map((event) => ({ id: derivedUuid(nameOf(origin.runId, event)), ...event, metadata })),
    };
    try {
      const [appended] = await this.store.append([request], options);
      if (appended === undefined) throw new Error('The event store answered an append with nothing.');
      this.watermark.appended(
        appended.position,
        events.map(({ type }) => ({ stream: request.stream, type })),
      );
      return appended;
    } catch (error) {
      if (!(error instanceof EventStoreUnavailable)) throw error;
      return refuse('store-unavailable', { store: 'event store' }, { retryAfterSeconds: 5 });
    }
  }

  /** The entry at this revision. @throws EventStoreUnavailable */
  async at(origin: RunOrigin, revision: number): Promise<RunEvent | undefined> {
    const [entry] = await this.store.readStream(streamFor(origin), { from: revision, limit: 1 });
    return entry as RunEvent | undefined;
  }

  /**
   * Whether the journal holds this entry, for when the outcome of its write is unknown. @throws EventStoreUnavailable
   */
  async holds(origin: RunOrigin, event: RunEvent): Promise<boolean> {
    const id = derivedUuid(nameOf(origin.runId, event));
    const latest = await this.store.readStream(streamFor(origin), { direction: 'backward', limit: lookBack });
    return latest.some((entry) => entry.id === id);
  }

  private metadata(origin: RunOrigin): EventMetadata {
    return {
      workspaceId: origin.workspaceId,
      actor: origin.actor,
      correlationId: origin.correlationId,
      causationId: origin.causationId,
      commandId: origin.runId,
      operation: 'automations/run',
      at: new Date(this.clock.now()).toISOString(),
    };
  }
}

/** How many entries are searched for a recent one. */
const lookBack = 1_000;

const streamFor = ({ workspaceId, functionId }: RunOrigin) => streamOf(runCategory, workspaceId, functionId);

/**
 * A name for an event that happens to a run once. Writing it again after an unknown outcome does not store it twice.
 */
function nameOf(runId: string, { type, data }: RunEvent): string {
  return `${runId}/${type}/${'attempt' in data ? data.attempt : ''}`;
}
