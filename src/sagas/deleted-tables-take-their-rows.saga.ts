import { Injectable } from '@nestjs/common';
import { TableRows } from '../areas/bases/row/table-rows.api.js';
import type { TableEvent } from '../areas/bases/table/table.record.js';
import type { Call } from '../engine/operation/call.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';

const reads: readonly TableEvent['type'][] = ['TableDeleted'];

/** The rows of a deleted table are erased, and those that were deleted before. */
@Injectable()
export class DeletedTablesTakeTheirRows implements Saga {
  readonly name = 'deleted-tables-take-their-rows';
  readonly reads = reads;

  constructor(private readonly rows: TableRows) {}

  async react({ stream }: RecordedEvent, call: (step: string) => Call): Promise<void> {
    await this.rows.eraseAll(parseStream(stream), call);
  }
}
