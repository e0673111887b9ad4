import type { RecordedEvent } from '../kernel/event.js';

/** Where events go to consumers outside of the service. */
export abstract class Outlet {
  /**
   * All of them are handed over durably when it resolves, those of one stream in their order; when it rejects, nobody
   * knows which. An event that is told again carries the same id, its position, so who has seen it knows it again.
   * @throws MessagesUnavailable
   */
  abstract tell(topic: string, events: readonly RecordedEvent[]): Promise<void>;
}
