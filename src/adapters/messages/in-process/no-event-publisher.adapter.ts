import { EventPublisher } from '../../../ports/event-publisher.port.js';

export class NoEventPublisher extends EventPublisher {
  override async publish(): Promise<void> {}
}
