import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { derivedUuid } from '../../../kernel/event/derived-id.js';
import type { Recorded } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import type { Json } from '../../../kernel/json/json.js';
import { refusalOf } from '../bases.refusals.js';
import { type Table, type TableField, tables } from '../table/table.record.js';
import { deleteRow, eraseRow, type NewValues, rowOf, updateRow } from './row.js';
import { isMissingValue, type Row, type RowEvent, type RowValues, rows } from './row.record.js';
import { RowLookUp, searchedFields } from './row-look-up.js';

type Decide = (row: Row | undefined) => readonly RowEvent[];

interface Written<Id = string> {
  readonly id: Id;
  readonly values: NewValues;
}

/**
 * Checks rows after they were recorded, because their table can have been deleted since it was loaded, or a field can
 * have become unique. Older values of such a field are not reserved, so operations that write rows or change the field
 * search for duplicates before and after their own event. Of two concurrent operations, the one whose event is later
 * finds the duplicates and is taken back: new rows are deleted, and changed rows get their former values.
 */
@Injectable()
export class LateTableChanges {
  constructor(
    private readonly runner: CommandRunner,
    private readonly loader: AggregateLoader,
    private readonly personal: PersonalData,
    private readonly lookUp: RowLookUp,
  ) {}

  /**
   * Refuses values that other rows have. If an earlier attempt of the call has recorded rows, does not search: the
   * check after the append finds the duplicates and takes the rows back.
   * @param written the ids may be left out if the call is not repeatable
   * @throws Refusal row-value-taken
   */
  async beforeRecording(
    call: OperationContext,
    table: Table,
    written: readonly Written<string | undefined>[],
  ): Promise<void> {
    const known = written.filter((one): one is Written => one.id !== undefined);
    await this.mustNotBeTakenBack(call, table, known);
    if (await this.wasAnyRecorded(call, call.commandId, table, known)) return;
    await this.lookUp.mustBeFree(table, written, call.visitedSite);
  }

  /**
   * Refuses a repeated call whose earlier attempt took rows back. If that attempt was interrupted, the rest of the rows
   * are taken back now.
   * @throws Refusal row-value-taken
   */
  async mustNotBeTakenBack(call: OperationContext, table: Table, written: readonly Written[]): Promise<void> {
    if (!(await this.wasAnyRecorded(call, takingBackId(call), table, written))) return;
    // If the row with the same value has changed since, no value is taken any more. The refusal then names a field that
    // can have caused the refusal of the earlier attempt.
    const taken = (await this.lookUp.takenField(table, written, call.visitedSite)) ?? firstSearched(table, written);
    if (taken !== undefined) await this.refuse(call, table, written, taken);
  }

  /**
   * Erases new rows if their table was deleted, and deletes them if a field became unique and another row has the same
   * value.
   * @throws Refusal table-not-found, row-value-taken
   */
  async afterCreation(call: OperationContext, table: Table, made: readonly Written[]): Promise<void> {
    const now = await this.runner.find(tables, call.workspaceId, table.id);
    if (now === undefined) {
      await this.record(
        call,
        derivedUuid(`${call.commandId}/of a table that is gone`),
        made,
        () => (row) => eraseRow(table, row),
      );
      return tables.missing();
    }
    await this.mustBeFree(call, now, made);
  }

  /**
   * Gives rows their former values back if a field became unique and another row has the same value. Rows that have
   * changed again stay as they are.
   * @throws Refusal row-value-taken
   */
  async afterUpdate(call: OperationContext, table: Table, sent: readonly Written[]): Promise<void> {
    const now = await this.runner.find(tables, call.workspaceId, table.id);
    if (now !== undefined) await this.mustBeFree(call, now, sent);
  }

  /**
   * Takes the rows back if another row has one of their values. After any other error the rows stay, and repeating the
   * call repeats the check.
   */
  private async mustBeFree(call: OperationContext, table: Table, written: readonly Written[]): Promise<void> {
    const taken = await this.lookUp.takenField(table, written, call.visitedSite);
    if (taken !== undefined) await this.refuse(call, table, written, taken);
  }

  private async refuse(
    call: OperationContext,
    table: Table,
    written: readonly Written[],
    taken: TableField,
  ): Promise<never> {
    const recorded = new Map<string, Recording>();
    for (const { id } of written) recorded.set(id, await this.recordedIn(call, id));
    await this.record(call, takingBackId(call), written, ({ id }) => takingBack(table, recorded.get(id)));
    throw refusalOf('row-value-taken', { field: taken.name }).afterEffect();
  }

  /**
   * Reads the row's history to find the call's own event, because an earlier attempt of the call can have recorded it.
   */
  private async recordedIn({ workspaceId, commandId }: OperationContext, id: string): Promise<Recording> {
    const stream = streamOf(rows.category, workspaceId, id);
    let now: Row | undefined;
    let before: Row | undefined;
    let after: Row | undefined;
    for await (const event of this.loader.history(stream)) {
      const isOwn = event.metadata.commandId === commandId;
      if (isOwn && after === undefined) before = now;
      now = rows.evolve(now, event as unknown as Recorded<RowEvent>);
      if (isOwn) after = now;
    }
    return this.personal.opened(workspaceId, { before, after });
  }

  private async wasAnyRecorded(
    { workspaceId, repeatable, firstTime, notBefore }: OperationContext,
    commandId: string,
    table: Table,
    written: readonly Written[],
  ): Promise<boolean> {
    if (!repeatable || firstTime || searchedFields(table).length === 0) return false;
    for (const { id } of written) {
      if (await this.loader.recordedBy(streamOf(rows.category, workspaceId, id), commandId, notBefore)) return true;
    }
    return false;
  }

  private async record(
    call: OperationContext,
    commandId: string,
    written: readonly Written[],
    decides: (one: Written) => Decide,
  ): Promise<void> {
    const { caller: _, ...own } = call;
    await this.runner.changeAll<Row | undefined, RowEvent>(
      { ...own, commandId },
      written.map((one) => ({ aggregate: rows, id: one.id, begins: 'perhaps', decide: decides(one) })),
    );
  }
}

/** A row before and after the events of a call. */
interface Recording {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

const takingBackId = ({ commandId }: OperationContext) => derivedUuid(`${commandId}/not unique after all`);

function takingBack(table: Table, { before, after }: Recording = { before: undefined, after: undefined }): Decide {
  return (row) => {
    if (after === undefined || row === undefined || row.tableId === null) return [];
    if (before === undefined || before.tableId === null) return deleteRow(table, row);
    const { values } = rowOf(table, row);
    return isDeepStrictEqual(values, after.values) ? updateRow(table, row, formerOf(before.values, values)) : [];
  };
}

/** Returns the change that turns the values into the former ones. */
const formerOf = (before: RowValues, values: RowValues): Readonly<Record<string, Json>> => ({
  ...Object.fromEntries(Object.keys(values).map((id) => [id, null])),
  ...before,
});

function firstSearched(table: Table, written: readonly Written[]): TableField | undefined {
  const fields = searchedFields(table);
  return fields.find(({ id }) => written.some(({ values }) => !isMissingValue(values[id]))) ?? fields[0];
}
