import { EventPublisher } from '../../../ports/event-publisher.port.js';

/** Publishes nothing, because the service has no message broker. */
export class NoEventPublisher extends EventPublisher {
  override async publish(): Promise<void> {}
}
