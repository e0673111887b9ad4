import { Injectable } from '@nestjs/common';
import type { Actor, RecordedEvent } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import { EventStore } from '../../ports/event-store.port.js';
import { Ids } from '../../ports/ids.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { Calls } from '../operation/calls.js';
import { type ParkedEvent, parkedOf } from './parked-events.js';

export const sagaRetryAsked = 'SagaRetryAsked';

/** An operator asks a saga to try parked events again: those at these log positions, or all. */
export type SagaRetryAsked = RecordedEvent<typeof sagaRetryAsked, { readonly positions: 'all' | readonly number[] }>;

/** Sagas belong to no workspace. */
const noWorkspace = 'system';

/**
 * Lists what sagas have parked, and asks for another try. It is asked for in the log, because the saga may be at work in
 * another process, and so that it stays known who asked and when.
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

  /** Durable when it resolves. The saga does it within a moment or, if it is not at work, when it starts. */
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
