import type { RecordedEvent } from '../kernel/event/event.js';

/** Publishes events to consumers outside the service. */
export abstract class EventPublisher {
  /**
   * Publishes events. When the promise resolves, all are durably published, those of one stream in order. When it
   * rejects, some may have been. An event that is published again has the same id, its position, so consumers can
   * recognise it. @throws MessagesUnavailable
   */
  abstract publish(topic: string, events: readonly RecordedEvent[]): Promise<void>;
}
