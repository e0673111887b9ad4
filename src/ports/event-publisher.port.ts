import type { RecordedEvent } from '../kernel/event/event.js';

/** Publishes events to consumers outside the service. */
export abstract class EventPublisher {
  /**
   * Publishes events. When the promise resolves, all are durably published, those of one stream in order. When it
   * rejects, some may have been published. The id of a published event is its position in the log. It is the same if
   * the event is published again, so consumers can recognise duplicates.
   * @throws MessagesUnavailable
   */
  abstract publish(topic: string, events: readonly RecordedEvent[]): Promise<void>;
}
