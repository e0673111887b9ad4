import { EventPublisher } from '../../../ports/event-publisher.port.js';

/** Publishes nothing, because there is no message broker. External readers can use the audit. */
export class NoEventPublisher extends EventPublisher {
  override async publish(): Promise<void> {}
}
