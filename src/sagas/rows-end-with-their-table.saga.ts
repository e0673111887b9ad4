import { Injectable } from '@nestjs/common';
import type { RowEvent } from '../areas/bases/row/row.record.js';
import { TableRows } from '../areas/bases/row/table-rows.api.js';
import { Calls } from '../engine/operation/calls.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { Recorded, RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';

type Created = Recorded<Extract<RowEvent, { type: 'RowCreated' | 'RowRestored' }>> & RecordedEvent;

/**
 * Erases a row that was recorded after its table was deleted. Whoever made it does so too, unless the process died before;
 * those recorded earlier are erased because of the deletion.
 */
@Injectable()
export class RowsEndWithTheirTable implements Saga {
  readonly name = 'rows-end-with-their-table';
  readonly reads: readonly RowEvent['type'][] = ['RowCreated', 'RowRestored'];

  constructor(
    private readonly rows: TableRows,
    private readonly calls: Calls,
  ) {}

  async react(event: RecordedEvent): Promise<void> {
    await this.reactToAll([event]);
  }

  /** Together, because most are of few tables, and a table is looked up once. */
  async reactToAll(events: readonly RecordedEvent[]): Promise<void> {
    const ofTables = Map.groupBy(
      events as unknown as readonly Created[],
      ({ metadata, data }) => `${metadata.workspaceId} ${data.tableId}`,
    );
    for (const created of ofTables.values()) {
      const [first] = created;
      if (first === undefined) continue;
      const { tableId } = first.data;
      await this.rows.eraseOrphans(
        this.calls.because(first, this.name, tableId),
        tableId,
        created.map(({ stream }) => parseStream(stream).id),
      );
    }
  }
}
