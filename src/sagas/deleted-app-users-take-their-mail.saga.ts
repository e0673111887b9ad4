import { Injectable } from '@nestjs/common';
import { SiteMailEnding } from '../areas/app-users/auth-mail/site-mail-ending.api.js';
import type { Call } from '../engine/operation/call.js';
import type { Saga } from '../engine/saga.js';
import type { RecordedEvent } from '../kernel/event.js';
import { parseStream } from '../kernel/stream-name.js';

/** Destroys mail about a user that was not sent before they were deleted: it names them and holds their links. */
@Injectable()
export class DeletedAppUsersTakeTheirMail implements Saga {
  readonly name = 'deleted-app-users-take-their-mail';
  readonly reads = ['AppUserDeleted'];

  constructor(private readonly ending: SiteMailEnding) {}

  async react(event: RecordedEvent, call: (step: string) => Call): Promise<void> {
    const { workspaceId, id } = parseStream(event.stream);
    await this.ending.forgetUser(workspaceId, id, call);
  }
}
