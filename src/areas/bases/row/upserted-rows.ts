import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { type ExclusiveSlot, exclusiveSlot } from '../../../engine/commands/related-changes.js';
import { type NameReserved, reservationStream, uniqueName } from '../../../engine/commands/reservation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { parseStream, streamOf } from '../../../kernel/event/stream-name.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { rows } from './row.record.js';

/** How often an upsert looks for a row. It looks again if the found row no longer matches when it is changed. */
export const mostUpsertAttempts = 20;

const category = 'rowUpsert';
const nameOf = (newId: string, attempt: number) => `${newId}/${attempt}`;
const slotOf = uniqueName(category, rows, () => undefined);

/**
 * Records in a slot which row a repeatable upsert changes, so that a repetition finds the row even if it no longer
 * matches. The slot's name is the id that a new row would get, with the number of the attempt: on EventStoreDB, an
 * attempt that fails because its row no longer matches can leave its slot behind.
 */
@Injectable()
export class UpsertedRows {
  constructor(
    private readonly store: EventStore,
    private readonly loader: AggregateLoader,
  ) {}

  /** Returns the id of the row that an earlier attempt of the call has created or changed. */
  async earlier(
    { workspaceId, commandId, repeatable, firstTime, notBefore }: OperationContext,
    newId: string,
  ): Promise<string | undefined> {
    if (!repeatable || firstTime) return undefined;
    const slots = Array.from({ length: mostUpsertAttempts }, (_, attempt) => nameOf(newId, attempt));
    const reserved = await Promise.all(
      slots.map((name) => this.store.readStream(reservationStream(workspaceId, category, name), { limit: 1 })),
    );
    const changed = reserved.flat().map(({ data }) => (data as NameReserved['data']).holder);
    for (const stream of [...changed, streamOf(rows.category, workspaceId, newId)]) {
      if (await this.loader.recordedBy(stream, commandId, notBefore)) return parseStream(stream).id;
    }
    return undefined;
  }

  /** Returns the slot to record together with the change of the row `changed`. */
  slots(
    { workspaceId, repeatable }: OperationContext,
    newId: string,
    changed: string,
    attempt: number,
  ): readonly ExclusiveSlot[] {
    const holder = streamOf(rows.category, workspaceId, changed);
    return repeatable ? [exclusiveSlot(slotOf(nameOf(newId, attempt), holder), () => [])] : [];
  }
}
