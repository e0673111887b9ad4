import { Injectable } from '@nestjs/common';
import type { Document } from '../../kernel/record/projection.js';
import { EventStore } from '../../ports/event-store.port.js';
import { PersonalData } from '../personal-data/personal-data.js';
import { AggregateLoader } from './aggregate-loader.js';
import { keyedReservation, type NameReserved, type Reservation, reservationStream } from './reservation.js';

/** Reads the log, because personal names are in no read model. */
@Injectable()
export class UniqueNameLookup {
  constructor(
    private readonly store: EventStore,
    private readonly loader: AggregateLoader,
    private readonly personal: PersonalData,
  ) {}

  /**
   * Returns the record that has the reservation's name, with personal data in the clear. The member `holder` of the
   * reservation is ignored.
   */
  async holderOf(workspaceId: string, reservation: Reservation): Promise<Document | undefined> {
    const { category, among, aggregate, name, nameOf } = reservation.personal
      ? keyedReservation(reservation, (text) => this.personal.keyed(workspaceId, reservation.category, text))
      : reservation;
    const stream = reservationStream(among ?? workspaceId, category, name);
    const [last] = await this.store.readStream(stream, { direction: 'backward', limit: 1 });
    if (last === undefined) return undefined;
    const { state } = await this.loader.load(aggregate, (last.data as NameReserved['data']).holder);
    if (state === undefined) return undefined;
    const opened = await this.personal.opened(state.workspaceId, state);
    return nameOf(opened) === name ? opened : undefined;
  }
}
