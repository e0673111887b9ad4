import type { RecordedEvent } from '../../../kernel/event/event.js';
import { EventPublisher } from '../../../ports/event-publisher.port.js';
import type { CloudEvent } from './cloud-event.js';
import type { KafkaMessages } from './kafka-messages.adapter.js';

export class KafkaEventPublisher extends EventPublisher {
  constructor(private readonly messages: Pick<KafkaMessages, 'publishEvents' | 'source'>) {
    super();
  }

  override publish(topic: string, events: readonly RecordedEvent[]): Promise<void> {
    return this.messages.publishEvents(
      topic,
      events.map((event) => ({ key: event.stream, event: cloudEventOf(event, this.messages.source) })),
    );
  }
}

/** Names of people are not published, so the envelope contains only the actor's kind and id. */
function cloudEventOf({ type, data, stream, revision, position, metadata }: RecordedEvent, source: string): CloudEvent {
  return {
    specversion: '1.0',
    id: String(position),
    source,
    type: `countersign.${type}`,
    time: metadata.at,
    subject: stream,
    datacontenttype: 'application/json',
    data,
    partitionkey: stream,
    revision: String(revision),
    workspaceid: metadata.workspaceId,
    actorkind: metadata.actor.kind,
    actorid: metadata.actor.id,
    operation: metadata.operation,
    correlationid: metadata.correlationId,
    ...(metadata.causationId === null ? {} : { causationid: metadata.causationId }),
  };
}
