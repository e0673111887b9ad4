import { EventPublisher } from '../../../ports/event-publisher.port.js';

/** Without a message broker nothing is published; outside readers can use the audit. */
export class NoEventPublisher extends EventPublisher {
  override async publish(): Promise<void> {}
}
