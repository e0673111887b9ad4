import { Injectable } from '@nestjs/common';
import type { RecordedRunEvent } from '../areas/functions/run/run.record.js';
import { runMessage, runRequests } from '../areas/functions/run/run-requests.api.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';
import { Messages } from '../ports/messages.port.js';

/** Publishes each accepted run as a message, for any process that runs functions. */
@Injectable()
export class AcceptedRunsAreHandedToRunners implements Saga {
  readonly name = 'accepted-runs-are-handed-to-runners';
  readonly reads = ['RunAccepted'];

  constructor(private readonly messages: Messages) {}

  async react(event: RecordedEvent): Promise<void> {
    const { data } = event as Extract<RecordedRunEvent, { type: 'RunAccepted' }>;
    const { workspaceId, id: functionId } = parseStream(event.stream);
    const { position } = event;
    await this.messages.publish(runRequests, runMessage({ ...data, workspaceId, functionId, position }));
  }
}
