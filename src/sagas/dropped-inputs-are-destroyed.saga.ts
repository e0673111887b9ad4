import { Injectable } from '@nestjs/common';
import { DeliveredFiles } from '../areas/functions/run/delivered-files.api.js';
import type { RecordedRunEvent } from '../areas/functions/run/run.record.js';
import { RunInputs } from '../areas/functions/run/run-inputs.api.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';

/** Destroys the input of a run as soon as it is no longer needed. */
@Injectable()
export class DroppedInputsAreDestroyed implements Saga {
  readonly name = 'dropped-inputs-are-destroyed';
  readonly reads = ['RunInputDropped'];

  constructor(
    private readonly inputs: RunInputs,
    private readonly files: DeliveredFiles,
  ) {}

  /** No order matters. */
  subjectOf({ id }: RecordedEvent): string {
    return id;
  }

  async reactToAll(events: readonly RecordedEvent[]): Promise<void> {
    await Promise.all(events.map((event) => this.react(event)));
  }

  async react(event: RecordedEvent): Promise<void> {
    const { data } = event as Extract<RecordedRunEvent, { type: 'RunInputDropped' }>;
    const { runId, hasFiles } = data;
    const { workspaceId } = parseStream(event.stream);
    await Promise.all([
      this.inputs.destroy(workspaceId, runId),
      ...(hasFiles ? [this.files.destroy({ workspaceId, runId })] : []),
    ]);
  }
}
