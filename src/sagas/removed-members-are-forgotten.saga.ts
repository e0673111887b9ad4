import { Injectable } from '@nestjs/common';
import { PersonalData } from '../engine/personal-data/personal-data.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';

/** Destroys the key under which a removed member's name and email are sealed. Nothing brings them back. */
@Injectable()
export class RemovedMembersAreForgotten implements Saga {
  readonly name = 'removed-members-are-forgotten';
  readonly reads = ['MemberRemoved'];

  constructor(private readonly personal: PersonalData) {}

  async react({ stream }: RecordedEvent): Promise<void> {
    await this.personal.erase(stream);
  }
}
