import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { derivedUuid } from '../../../kernel/event/derived-id.js';
import type { Json } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { type Table, tables } from '../table/table.record.js';
import { deleteRow, eraseRow, type NewValues, rowOf, updateRow } from './row.js';
import { type Row, type RowEvent, type RowValues, rows } from './row.record.js';
import { RowLookUp } from './row-look-up.js';

type Decide = (row: Row | undefined) => readonly RowEvent[];

interface Written {
  readonly id: string;
  readonly values: NewValues;
}

/**
 * Checks rows after they were recorded, because their table can have changed after it was loaded. Operations that change
 * a table check its rows after their own event. In a field that became unique, older rows have no reservations, so
 * writers search before and after their own event. Of two, the one whose event is later sees the other.
 */
@Injectable()
export class LateTableChanges {
  constructor(
    private readonly runner: CommandRunner,
    private readonly lookUp: RowLookUp,
  ) {}

  /**
   * Erases new rows if their table was deleted, and deletes them if a field became unique and another row has the same
   * value.
   * @throws Refusal table-not-found, row-value-taken
   */
  async afterCreation(call: OperationContext, table: Table, made: readonly Written[]): Promise<void> {
    const now = await this.runner.find(tables, call.workspaceId, table.id);
    if (now === undefined) {
      await this.record(call, 'of a table that is gone', made, () => (row) => eraseRow(table, row));
      return tables.missing();
    }
    await this.mustBeFree(call, now, made, () => (row) => deleteRow(now, row));
  }

  /**
   * Gives rows their former values back if a field became unique and another row has the same value. Rows that have
   * changed again stay as they are.
   * @param before the rows' values before the update, by row id
   * @throws Refusal row-value-taken
   */
  async afterUpdate(
    call: OperationContext,
    table: Table,
    sent: readonly Written[],
    updated: readonly Row[],
    before: ReadonlyMap<string, RowValues>,
  ): Promise<void> {
    const now = await this.runner.find(tables, call.workspaceId, table.id);
    if (now === undefined) return;
    const recorded = new Map(updated.map(({ id, values }) => [id, values]));
    await this.mustBeFree(call, now, sent, ({ id }) => (row) => {
      const { values } = rowOf(now, row);
      return isDeepStrictEqual(values, recorded.get(id)) ? updateRow(now, row, formerOf(before.get(id), values)) : [];
    });
  }

  private async mustBeFree(
    call: OperationContext,
    table: Table,
    written: readonly Written[],
    takeBack: (one: Written) => (row: Row) => readonly RowEvent[],
  ): Promise<void> {
    try {
      await this.lookUp.mustBeFree(table, written, call.visitedSite);
    } catch (error) {
      // After any other error the rows stay, and repeating the call repeats the check.
      if (error instanceof Refusal && error.code === 'row-value-taken') {
        await this.record(call, 'not unique after all', written, (one) => {
          const decide = takeBack(one);
          return (row) => (row === undefined || row.tableId === null ? [] : decide(row));
        });
      }
      throw error;
    }
  }

  private async record(
    call: OperationContext,
    why: string,
    written: readonly Written[],
    decides: (one: Written) => Decide,
  ): Promise<void> {
    const { caller: _, ...own } = call;
    const commandId = derivedUuid(`${call.commandId}/${why}`);
    await this.runner.changeAll<Row | undefined, RowEvent>(
      { ...own, commandId },
      written.map((one) => ({ aggregate: rows, id: one.id, begins: 'perhaps', decide: decides(one) })),
    );
  }
}

/** Returns the change that turns the values into the former ones. */
const formerOf = (before: RowValues | undefined, values: RowValues): Readonly<Record<string, Json>> => ({
  ...Object.fromEntries(Object.keys(values).map((id) => [id, null])),
  ...before,
});
