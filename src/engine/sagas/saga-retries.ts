import { Injectable } from '@nestjs/common';
import type { Actor, RecordedEvent } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import { EventStore } from '../../ports/event-store.port.js';
import { Ids } from '../../ports/ids.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { Calls } from '../operation/calls.js';
import { type ParkedEvent, parkedOf } from './parked-events.js';

export const sagaRetryAsked = 'SagaRetryAsked';

export type SagaRetryAsked = RecordedEvent<typeof sagaRetryAsked, { readonly positions: 'all' | readonly number[] }>;

const noWorkspace = 'system';

/**
 * A request to retry is an event, because the saga can run in another process and because the log should show who made
 * the request.
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
   * The request is durable when the promise resolves. The saga carries it out within a moment or, if it is not running,
   * when it starts.
   */
  async request(saga: string, positions: 'all' | readonly number[], actor: Actor): Promise<void> {
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
