import { Injectable } from '@nestjs/common';
import { derivedId } from '../../kernel/event/derived-id.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import { Clock } from '../../ports/clock.port.js';
import { RecordedLog, WrongExpectedRevision } from '../../ports/event-store.port.js';
import { Ids } from '../../ports/ids.port.js';
import { systemActor } from '../operation/calls.js';

const stream = streamOf('log', 'service', 'identity');

/**
 * Distinguishes this log from others that use the same brokers. The identity is derived from the position of the event
 * that records it. An imported log has new positions, and therefore a different identity.
 */
@Injectable()
export class LogIdentity {
  constructor(
    private readonly log: RecordedLog,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  async known(): Promise<string> {
    const { id, position } = (await this.recorded()) ?? (await this.record());
    return derivedId('log', `${id}/${position}`);
  }

  private async recorded(): Promise<RecordedEvent | undefined> {
    return (await this.log.readStream(stream))[0];
  }

  private async record(): Promise<Pick<RecordedEvent, 'id' | 'position'>> {
    const id = this.ids.uuid();
    const metadata = {
      workspaceId: 'service',
      actor: systemActor('log-identity'),
      correlationId: id,
      causationId: null,
      commandId: id,
      operation: 'log-identity',
      at: new Date(this.clock.now()).toISOString(),
    };
    try {
      await this.log.append([
        { stream, expected: 'none', events: [{ id, type: 'LogIdentified', data: {}, metadata }] },
      ]);
    } catch (error) {
      // If another process recorded the identity first, that one applies.
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
    const recorded = await this.recorded();
    if (recorded === undefined) throw new Error('The identity of the log was recorded, but cannot be read back.');
    return recorded;
  }
}
