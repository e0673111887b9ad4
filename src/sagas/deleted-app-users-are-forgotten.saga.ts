import { Injectable } from '@nestjs/common';
import type { AppUserEvent } from '../areas/app-users/app-user/app-user.record.js';
import { UserContents } from '../areas/app-users/app-user/user-contents.api.js';
import type { Call } from '../engine/operation/call.js';
import { PersonalData } from '../engine/personal-data/personal-data.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';

const ended: AppUserEvent['type'] = 'AppUserDeleted';

/**
 * Destroys the key under which everything personal of a deleted user is sealed, and ends what belongs to the user. What is
 * recorded for the user while it is being deleted ends when this saga reaches it.
 */
@Injectable()
export class DeletedAppUsersAreForgotten implements Saga {
  readonly name = 'deleted-app-users-are-forgotten';
  /** A deleted project takes all of its users along. */
  readonly atOnce = 16;

  constructor(
    private readonly personal: PersonalData,
    private readonly contents: UserContents,
  ) {}

  /** Slices register what they keep of users when they start. */
  get reads(): readonly string[] {
    return [ended, ...this.contents.firstTypes];
  }

  async react(event: RecordedEvent, call: (step: string) => Call): Promise<void> {
    if (event.type !== ended) return this.contents.deleteLate(event, call);
    // First: it matters most, and needs no list of anything.
    await this.personal.erase(event.stream);
    const { workspaceId, id } = parseStream(event.stream);
    await this.contents.deleteAll(workspaceId, id, call);
  }
}
