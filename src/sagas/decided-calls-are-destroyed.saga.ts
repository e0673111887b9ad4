import { Injectable } from '@nestjs/common';
import { AskedCalls } from '../areas/approvals/pending-change/asked-calls.api.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';

/** Destroys the input of a call once its card is decided, replaced or expired. */
@Injectable()
export class DecidedCallsAreDestroyed implements Saga {
  readonly name = 'decided-calls-are-destroyed';
  readonly reads = [
    'PendingChangeApplied',
    'PendingChangeFailed',
    'PendingChangeRejected',
    'PendingChangeExpired',
    'PendingChangeReplaced',
  ];

  constructor(private readonly calls: AskedCalls) {}

  /** No order matters. */
  subjectOf({ id }: RecordedEvent): string {
    return id;
  }

  async reactToAll(events: readonly RecordedEvent[]): Promise<void> {
    await Promise.all(events.map((event) => this.react(event)));
  }

  async react(event: RecordedEvent): Promise<void> {
    const { workspaceId, id } = parseStream(event.stream);
    await this.calls.forget({ workspaceId, id });
  }
}
