import { Injectable } from '@nestjs/common';
import type { Actor, RecordedEvent } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import { EventStore } from '../../ports/event-store.port.js';
import { Ids } from '../../ports/ids.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { Calls } from '../operation/calls.js';
import { type ParkedEvent, parkedOf } from './parked-events.js';

export const sagaRetryAsked = 'SagaRetryAsked';

/** An operator requests a retry of parked events: of those at these log positions, or of all. */
export type SagaRetryAsked = RecordedEvent<typeof sagaRetryAsked, { readonly positions: 'all' | readonly number[] }>;

/** Sagas belong to no workspace. */
const noWorkspace = 'system';

/**
 * Lists parked events and requests retries. Requests are recorded in the log, because the saga may run in another
 * process, and to document who made them and when.
 */
@Injectable()
export class SagaRetries {
  constructor(
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly calls: Calls,
    private readonly ids: Ids,
  ) {}

  list(saga: string): Promise<readonly ParkedEvent[]> {
    return parkedOf(this.store, saga);
  }

  /**
   * Requests a retry, which is durable when the promise resolves. The saga retries within a moment or, if it is not
   * running, when it starts.
   */
  async ask(saga: string, positions: 'all' | readonly number[], actor: Actor): Promise<void> {
    const {
      repeatable: _repeatable,
      newId: _newId,
      newToken: _newToken,
      ...metadata
    } = this.calls.once(noWorkspace, actor, 'sagas:retry');
    const event = { id: this.ids.uuid(), type: sagaRetryAsked, data: { positions }, metadata };
    await this.events.append([{ stream: streamOf('sagaRetry', noWorkspace, saga), expected: 'any', events: [event] }]);
  }
}
