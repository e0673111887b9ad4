import { Injectable } from '@nestjs/common';
import type { Actor, EventMetadata, NewEvent } from '../../kernel/event.js';
import { streamOf } from '../../kernel/stream-name.js';
import { Clock } from '../../ports/clock.port.js';
import { EventStore, type ExpectedRevision, WrongExpectedRevision } from '../../ports/event-store.port.js';
import { Ids } from '../../ports/ids.port.js';
import { derivedUuid } from '../derived-id.js';
import { ProcessName } from '../process-name.js';
import { Watermark } from '../watermark.js';
import {
  evolveStepRun,
  forgottenRuns,
  type LastStart,
  type RecordedStepRunEvent,
  type StepRun,
  type StepRunEvent,
} from './step-run.record.js';

export type StepRunOrigin = Pick<StepRun, 'workspaceId' | 'id' | 'actor' | 'correlationId' | 'causationId'>;

/** Reads and writes the journals of runs of several steps. */
@Injectable()
export class StepJournal {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly watermark: Watermark,
    private readonly process: ProcessName,
    private readonly ids: Ids,
  ) {}

  /** The run as recorded now; undefined if there is none or retention removed it. @throws EventStoreUnavailable */
  async read(category: string, workspaceId: string, runId: string): Promise<StepRun | undefined> {
    const events = await this.store.readStream(streamOf(category, workspaceId, runId));
    return fold(undefined, events as readonly RecordedStepRunEvent[]);
  }

  /** Begins a journal; false when it was begun before. @throws EventStoreUnavailable */
  async begin(category: string, origin: StepRunOrigin, events: readonly StepRunEvent[]): Promise<boolean> {
    return (await this.write(category, origin, 'none', events)) !== undefined;
  }

  /**
   * Appends to the run as it was seen; answers the run afterwards, or undefined when another writer was first. If the
   * outcome of an append is unknown, the same process may repeat it; it is recorded once. @throws EventStoreUnavailable
   */
  async append(category: string, run: StepRun, events: readonly StepRunEvent[]): Promise<StepRun | undefined> {
    const recorded = await this.write(category, run, run.revision, events);
    return recorded && fold(run, recorded);
  }

  /** Records that the journals of these runs are gone. @throws EventStoreUnavailable */
  async forgotten(
    category: string,
    workspaceId: string,
    actor: Actor,
    runs: readonly StepRun[],
    triggers: readonly LastStart[],
  ): Promise<void> {
    const id = this.ids.newId('retention');
    const metadata = this.metadata(category, { id, workspaceId, actor, correlationId: id, causationId: null });
    const stream = streamOf(category, workspaceId, forgottenRuns);
    const event = { type: 'StepRunsForgotten', data: { runIds: runs.map((run) => run.id), triggers } } as const;
    const events = [{ ...event, id: this.ids.uuid(), metadata }];
    const [appended] = await this.store.append([{ stream, expected: 'any', events }]);
    if (appended !== undefined) this.watermark.appended(appended.position, [{ stream, type: event.type }]);
  }

  private async write(
    category: string,
    origin: StepRunOrigin,
    expected: ExpectedRevision & (number | 'none'),
    events: readonly StepRunEvent[],
  ): Promise<readonly RecordedStepRunEvent[] | undefined> {
    const stream = streamOf(category, origin.workspaceId, origin.id);
    const first = expected === 'none' ? 0 : expected + 1;
    const metadata = this.metadata(category, origin);
    const made = events.map((event, index): NewEvent => {
      // The acceptance has the same event ids in every process; later events belong to one process.
      const by = expected === 'none' ? '' : this.process.value;
      return { ...event, id: derivedUuid(`${stream}/${first + index}/${event.type}/${by}`), metadata };
    });
    try {
      const [appended] = await this.store.append([{ stream, expected, events: made }]);
      if (appended === undefined) throw new Error('The event store answered an append with nothing.');
      const { position } = appended;
      this.watermark.appended(
        position,
        events.map(({ type }) => ({ stream, type })),
      );
      return made.map((event, index) => ({ ...event, stream, revision: first + index, position })) as never;
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return undefined;
      throw error;
    }
  }

  private metadata(category: string, { id, workspaceId, actor, correlationId, causationId }: StepRunOrigin) {
    const at = new Date(this.clock.now()).toISOString();
    const operation = category;
    return { workspaceId, actor, correlationId, causationId, commandId: id, operation, at } satisfies EventMetadata;
  }
}

const fold = (run: StepRun | undefined, events: readonly RecordedStepRunEvent[]) => events.reduce(evolveStepRun, run);
