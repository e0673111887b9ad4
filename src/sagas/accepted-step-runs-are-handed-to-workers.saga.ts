import { Injectable } from '@nestjs/common';
import type { Saga } from '../engine/sagas/saga.js';
import { StepKinds } from '../engine/step-work/step-kinds.js';
import { stepMessage } from '../engine/step-work/step-messages.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';
import { Messages } from '../ports/messages.port.js';

/** Publishes each accepted run of several steps as a message, for any process that does steps. */
@Injectable()
export class AcceptedStepRunsAreHandedToWorkers implements Saga {
  readonly name = 'accepted-step-runs-are-handed-to-workers';
  readonly reads = ['StepRunAccepted'];

  constructor(
    private readonly messages: Messages,
    private readonly kinds: StepKinds,
  ) {}

  async react({ stream, revision }: RecordedEvent): Promise<void> {
    const { category, workspaceId, id } = parseStream(stream);
    await this.messages.publish(this.kinds.of(category).topic, stepMessage(workspaceId, id, revision));
  }
}
