import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { derivedUuid } from '../../../kernel/event/derived-id.js';
import type { Json } from '../../../kernel/json/json.js';
import { type Table, tables } from '../table/table.record.js';
import { deleteRow, eraseRow, rowOf, updateRow } from './row.js';
import { type Row, type RowEvent, type RowValues, rows } from './row.record.js';
import { RowLookUp } from './row-look-up.js';

type Deciding = (row: Row | undefined) => readonly RowEvent[];

interface Recorded {
  readonly id: string;
  readonly values: RowValues;
}

/**
 * Checks rows after they were recorded, because their table can have changed after it was loaded. Operations that change
 * a table check its rows after their own event, so at least one of the two sees the other.
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
  async afterCreation(call: OperationContext, table: Table, made: readonly Recorded[]): Promise<void> {
    const now = await this.runner.find(tables, call.workspaceId, table.id);
    if (now === undefined) {
      await this.decide(call, 'of a table that is gone', made, () => (row) => eraseRow(table, row));
      return tables.missing();
    }
    await this.orElse(call, table, now, made, () =>
      this.decide(
        call,
        'not unique after all',
        made,
        () => (row) => (row === undefined || row.tableId === null ? [] : deleteRow(now, row)),
      ),
    );
  }

  /**
   * Gives rows their former values back if a field became unique and another row has the same value. Rows that have
   * changed again stay as they are.
   * @param before former values by row id
   * @throws Refusal row-value-taken
   */
  async afterUpdate(
    call: OperationContext,
    table: Table,
    changed: readonly Recorded[],
    before: ReadonlyMap<string, RowValues>,
  ): Promise<void> {
    const now = await this.runner.find(tables, call.workspaceId, table.id);
    if (now === undefined) return;
    await this.orElse(call, table, now, changed, () =>
      this.decide(call, 'not unique after all', changed, ({ id, values }) => (row) => {
        if (row === undefined || row.tableId === null || !isDeepStrictEqual(rowOf(now, row).values, values)) return [];
        return updateRow(now, row, formerOf(before.get(id) ?? {}, values));
      }),
    );
  }

  private async orElse(
    { visitedSite }: OperationContext,
    table: Table,
    now: Table,
    recorded: readonly Recorded[],
    takeBack: () => Promise<void>,
  ): Promise<void> {
    const wasUnique = new Set(table.fields.filter(({ unique }) => unique).map(({ id }) => id));
    const fields = now.fields.filter(({ id, unique }) => unique && !wasUnique.has(id));
    if (fields.length === 0) return;
    try {
      await this.lookUp.mustBeFree({ ...now, fields }, recorded, visitedSite);
    } catch (error) {
      await takeBack();
      throw error;
    }
  }

  private async decide(
    call: OperationContext,
    why: string,
    recorded: readonly Recorded[],
    decides: (one: Recorded) => Deciding,
  ): Promise<void> {
    const { caller: _, ...own } = call;
    const commandId = derivedUuid(`${call.commandId}/${why}`);
    await this.runner.changeAll<Row | undefined, RowEvent>(
      { ...own, commandId },
      recorded.map((one) => ({ aggregate: rows, id: one.id, begins: 'perhaps', decide: decides(one) })),
    );
  }
}

/** Returns the change that turns the values into the former ones. */
const formerOf = (before: RowValues, values: RowValues): Readonly<Record<string, Json>> => ({
  ...Object.fromEntries(Object.keys(values).map((id) => [id, null])),
  ...before,
});
