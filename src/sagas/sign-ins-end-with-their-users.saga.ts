import { Injectable } from '@nestjs/common';
import type { AppUserEvent } from '../areas/app-users/app-user/app-user.record.js';
import { siteSignInStream } from '../areas/app-users/sign-in/sign-in.record.js';
import { Journal } from '../engine/journal/journal.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';

const ended: AppUserEvent['type'] = 'AppUserDeleted';

/** Removes from the log when a deleted user signed in. */
@Injectable()
export class SignInsEndWithTheirUsers implements Saga {
  readonly name = 'sign-ins-end-with-their-users';
  readonly reads = [ended];

  constructor(private readonly journal: Journal) {}

  async react({ stream }: RecordedEvent): Promise<void> {
    const { workspaceId, id } = parseStream(stream);
    const signIns = siteSignInStream(workspaceId, id);
    const last = await this.journal.last(signIns);
    if (last !== undefined) await this.journal.prune(signIns, last.revision);
  }
}
