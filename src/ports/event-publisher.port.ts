import type { RecordedEvent } from '../kernel/event/event.js';

export abstract class EventPublisher {
  /**
   * When the promise resolves, all events are durably published, those of one stream in order. When it rejects, some
   * may have been published. The id of a published event is its position in the log, so consumers can recognise
   * duplicates.
   * @throws MessagesUnavailable
   */
  abstract publish(topic: string, events: readonly RecordedEvent[]): Promise<void>;
}
