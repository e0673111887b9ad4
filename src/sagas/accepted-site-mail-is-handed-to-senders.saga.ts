import { Injectable } from '@nestjs/common';
import type { SiteMailEvent } from '../areas/app-users/auth-mail/site-mail.record.js';
import { siteMailMessage, siteMailRequests } from '../areas/app-users/auth-mail/site-mail-requests.api.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { Recorded, RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';
import { Messages } from '../ports/messages.port.js';

type Accepted = Recorded<Extract<SiteMailEvent, { type: 'SiteMailAccepted' }>>;

/** Publishes accepted mail of sites as messages for any process that sends it. */
@Injectable()
export class AcceptedSiteMailIsHandedToSenders implements Saga {
  readonly name = 'accepted-site-mail-is-handed-to-senders';
  readonly reads = ['SiteMailAccepted'];

  constructor(private readonly messages: Messages) {}

  async react(event: RecordedEvent): Promise<void> {
    const { workspaceId, id } = parseStream(event.stream);
    const { projectId } = (event as unknown as Accepted).data;
    await this.messages.publish(siteMailRequests, siteMailMessage({ workspaceId, projectId, id, attempts: 0 }));
  }
}
