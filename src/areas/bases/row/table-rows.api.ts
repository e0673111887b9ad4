import { Injectable } from '@nestjs/common';
import { type Change, CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { tables } from '../table/table.record.js';
import { type Row, type RowEvent, rows } from './row.record.js';

const page = 500;

/** All rows of a table, those that were deleted included. */
@Injectable()
export class TableRows {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
  ) {}

  /**
   * Erases what is left of a table that is gone, a page at a time. `call` makes the call of one page. May be repeated, and
   * goes on where it was interrupted.
   */
  async eraseAll(
    { workspaceId, id: tableId }: { readonly workspaceId: string; readonly id: string },
    call: (step: string) => Call,
  ): Promise<void> {
    for (const where of [{ tableId }, { deletedFrom: tableId }]) {
      for (;;) {
        const found = await this.reads.find<Row>(workspaceId, rows.collection.name, { where, limit: page });
        const [first] = found;
        if (first === undefined) break;
        await this.runner.changeAll<Row | undefined, RowEvent>(
          call(first.id),
          found.map(({ id }) => erasure(tableId, id)),
        );
      }
    }
  }

  /** Erases these rows of a table, if it is gone. May be repeated. */
  async eraseOrphans(call: Call, tableId: string, ids: readonly string[]): Promise<void> {
    if ((await this.runner.find(tables, call.workspaceId, tableId)) !== undefined) return;
    await this.runner.changeAll<Row | undefined, RowEvent>(
      call,
      ids.map((id) => erasure(tableId, id)),
    );
  }
}

/** Nothing, for a row that is erased already. */
const erasure = (tableId: string, id: string): Change<Row | undefined, RowEvent> => ({
  aggregate: rows,
  id,
  begins: 'perhaps',
  decide: (row) => (row === undefined ? [] : [{ type: 'RowErased', data: { tableId } }]),
});
