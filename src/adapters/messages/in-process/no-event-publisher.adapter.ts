import { EventPublisher } from '../../../ports/event-publisher.port.js';

/** Publishes nothing, because the service has no message broker. External readers can use the audit instead. */
export class NoEventPublisher extends EventPublisher {
  override async publish(): Promise<void> {}
}
