import { Injectable } from '@nestjs/common';
import { streamOf } from '../../kernel/event/stream-name.js';
import { EventStore } from '../../ports/event-store.port.js';
import { ProcessName } from '../cluster/process-name.js';
import { Journal, type WrittenBy } from '../journal/journal.js';
import { evolveStepRun, type RecordedStepRunEvent, type StepRun, type StepRunEvent } from './step-run.record.js';

export type StepRunOrigin = Pick<StepRun, 'workspaceId' | 'id' | 'actor' | 'correlationId' | 'causationId'>;

@Injectable()
export class StepJournal {
  constructor(
    private readonly store: EventStore,
    private readonly journal: Journal,
    private readonly process: ProcessName,
  ) {}

  /**
   * Returns undefined if there is no such run, or if retention has removed it.
   * @throws EventStoreUnavailable
   */
  async read(category: string, workspaceId: string, runId: string): Promise<StepRun | undefined> {
    const events = await this.store.readStream(streamOf(category, workspaceId, runId));
    return fold(undefined, events as readonly RecordedStepRunEvent[]);
  }

  /**
   * Returns false if the journal already exists.
   * @throws EventStoreUnavailable
   */
  async begin(category: string, origin: StepRunOrigin, events: readonly StepRunEvent[]): Promise<boolean> {
    return (await this.write(category, origin, 'none', events)) !== undefined;
  }

  /**
   * If the run has changed since it was read, records nothing and returns undefined. If the outcome of an append is
   * unknown, the same process may repeat it; the events are recorded once.
   * @throws EventStoreUnavailable
   */
  async append(category: string, run: StepRun, events: readonly StepRunEvent[]): Promise<StepRun | undefined> {
    const recorded = await this.write(category, run, run.revision, events);
    return recorded && fold(run, recorded);
  }

  private async write(
    category: string,
    origin: StepRunOrigin,
    expected: number | 'none',
    events: readonly StepRunEvent[],
  ): Promise<readonly RecordedStepRunEvent[] | undefined> {
    const stream = streamOf(category, origin.workspaceId, origin.id);
    const first = expected === 'none' ? 0 : expected + 1;
    // The first events have the same ids in every process. Ids of later events are derived from the process's name too,
    // so that two processes cannot mistake each other's claims for their own.
    const by = expected === 'none' ? '' : this.process.value;
    const once = (type: string, index: number) => `${stream}/${first + index}/${type}/${by}`;
    const made = events.map((event, index) => ({ ...event, once: once(event.type, index) }));
    const written = await this.journal.appendIfFirst({
      stream,
      by: writtenBy(category, origin),
      events: made,
      expected,
    });
    if (written === undefined) return undefined;
    const { position } = written;
    return written.events.map((event, index) => ({ ...event, stream, revision: first + index, position })) as never;
  }
}

function writtenBy(category: string, { id, workspaceId, actor, correlationId, causationId }: StepRunOrigin): WrittenBy {
  return { workspaceId, actor, correlationId, causationId, commandId: id, operation: category };
}

const fold = (run: StepRun | undefined, events: readonly RecordedStepRunEvent[]) => events.reduce(evolveStepRun, run);
