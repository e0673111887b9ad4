import { Injectable } from '@nestjs/common';
import type { RowEvent } from '../areas/bases/row/row.record.js';
import { PersonalData } from '../engine/personal-data/personal-data.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';

const reads: readonly RowEvent['type'][] = ['RowErased'];

/** Destroys the key under which the values of an erased row are sealed, in its history too. Nothing brings them back. */
@Injectable()
export class ErasedRowsLoseTheirKeys implements Saga {
  readonly name = 'erased-rows-lose-their-keys';
  readonly reads = reads;

  constructor(private readonly personal: PersonalData) {}

  async react(event: RecordedEvent): Promise<void> {
    await this.reactToAll([event]);
  }

  /** Together, because the vault destroys the keys of a whole table in a few commits. */
  async reactToAll(events: readonly RecordedEvent[]): Promise<void> {
    await Promise.all(events.map(({ stream }) => this.personal.erase(stream)));
  }
}
