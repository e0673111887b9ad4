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
    const recorded = this.recorded(workspaceId, reservation);
    const { aggregate, name, nameOf } = recorded;
    const stream = streamIn(workspaceId, recorded);
    const [last] = await this.store.readStream(stream, { direction: 'backward', limit: 1 });
    if (last === undefined) return undefined;
    const { state } = await this.loader.load(aggregate, (last.data as NameReserved['data']).holder);
    if (state === undefined) return undefined;
    const opened = await this.personal.opened(state.workspaceId, state);
    return nameOf(opened) === name ? opened : undefined;
  }

  /**
   * Returns the streams of the records that have or had the reservation's name. Some of them may not exist, because the
   * writer crashed after it reserved the name.
   */
  async holders(workspaceId: string, reservation: Reservation): Promise<readonly string[]> {
    const reserved = await this.store.readStream(streamIn(workspaceId, this.recorded(workspaceId, reservation)));
    return [...new Set(reserved.map(({ data }) => (data as NameReserved['data']).holder))];
  }

  private recorded(workspaceId: string, reservation: Reservation): Reservation {
    if (!reservation.personal) return reservation;
    return keyedReservation(reservation, (text) => this.personal.keyed(workspaceId, reservation.category, text));
  }
}

const streamIn = (workspaceId: string, { among, category, name }: Reservation): string =>
  reservationStream(among ?? workspaceId, category, name);
