import { Injectable } from '@nestjs/common';
import type { PublicationEvent } from '../areas/sites/publication/publication.record.js';
import { publishMessage, publishRequests } from '../areas/sites/publication/publish-requests.api.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { Recorded, RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';
import { Messages } from '../ports/messages.port.js';

type Started = Recorded<Extract<PublicationEvent, { type: 'PublishStarted' }>>;

/** Publishes started publishes as messages for any process that builds sites. */
@Injectable()
export class StartedPublishesAreHandedToBuilders implements Saga {
  readonly name = 'started-publishes-are-handed-to-builders';
  readonly reads = ['PublishStarted'];

  constructor(private readonly messages: Messages) {}

  async react(event: RecordedEvent): Promise<void> {
    const { workspaceId, id: projectId } = parseStream(event.stream);
    const { deploymentId } = (event as unknown as Started).data;
    await this.messages.publish(publishRequests, publishMessage({ workspaceId, projectId, deploymentId }));
  }
}
