import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
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
          found.map(({ id }) => ({
            aggregate: rows,
            id,
            begins: 'perhaps',
            decide: (row) => (row === undefined ? [] : [{ type: 'RowErased', data: { tableId } }]),
          })),
        );
      }
    }
  }
}
