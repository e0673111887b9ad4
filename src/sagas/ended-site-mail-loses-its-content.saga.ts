import { Injectable } from '@nestjs/common';
import { SiteMailEnding } from '../areas/app-users/auth-mail/site-mail-ending.api.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';

/** Destroys the words of a mail that was sent or is not wanted any more, though the process that ended it died. */
@Injectable()
export class EndedSiteMailLosesItsContent implements Saga {
  readonly name = 'ended-site-mail-loses-its-content';
  readonly reads = ['SiteMailSent', 'SiteMailForgotten'];
  readonly atOnce = 20;

  constructor(private readonly ending: SiteMailEnding) {}

  async react(event: RecordedEvent): Promise<void> {
    const { workspaceId, id } = parseStream(event.stream);
    await this.ending.destroyContent(workspaceId, id);
  }
}
