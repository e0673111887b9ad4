import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Change } from '../../../engine/commands/change.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { ExclusiveSlot } from '../../../engine/commands/related-changes.js';
import type { RequestedName } from '../../../engine/commands/reservation-requests.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { refuse } from '../bases.refusals.js';
import type { Table } from '../table/table.record.js';
import { LateTableChanges } from './late-table-changes.js';
import { createRow, deleteRow, eraseRow, type NewValues, restoreRow, rowOf, updateRow } from './row.js';
import { matchedValues, matchName, type Row, type RowEvent, type RowValues, rows } from './row.record.js';
import type { PastValues } from './row-history.js';
import { RowIds } from './row-ids.js';
import { RowLookUp } from './row-look-up.js';
import { uniqueNamesOf } from './row-names.js';
import { RowQuota } from './row-quota.js';
import type { RowScope } from './rules/related-rows.js';
import { mostUpsertAttempts, UpsertedRows } from './upserted-rows.js';

/** Throws if the caller may not write the row. Gets the new row when a row is created, and otherwise the stored row. */
export type RowJudge = (row: Row) => void;

export interface By {
  readonly user: string | null;
  /** The rows that the caller may read. An upsert can change only these. */
  readonly reads: RowScope;
  readonly mustCreate?: RowJudge;
  readonly mustUpdate?: RowJudge;
  readonly mustDelete?: RowJudge;
}

export interface SeenRow {
  readonly id: string;
  /** If the row has changed since, it is not changed again. */
  readonly seenUpdatedAt?: string | undefined;
}

export interface RowUpdate extends SeenRow {
  readonly values: NewValues;
  readonly path: string;
}

type RowsChange = Change<Row | undefined, RowEvent>;

class MatchChanged extends Error {}

/** Of the rows in one call, either all are changed or none. Returned rows have decrypted values. */
@Injectable()
export class RowWriter {
  constructor(
    private readonly runner: CommandRunner,
    private readonly personal: PersonalData,
    private readonly store: EventStore,
    private readonly lookUp: RowLookUp,
    private readonly room: RowQuota,
    private readonly ids: RowIds,
    private readonly late: LateTableChanges,
    private readonly upserted: UpsertedRows,
  ) {}

  /** @param pathOf returns the path of each row's values in the input */
  async create(
    call: OperationContext,
    table: Table,
    by: By,
    sent: readonly NewValues[],
    pathOf: (index: number) => string,
  ): Promise<readonly Row[]> {
    await this.room.mustHaveRoom(table, sent.length);
    // Rows of one command have the same creation time and are then listed by id. The ids are sorted so that the rows
    // are listed in the order of the input.
    const newIds = () => this.ids.take(call, sent.length).toSorted();
    // Calls that are not repeatable take their ids after the check below. Ids can come with prepared keys, which a
    // refusal must not use up.
    const known = call.repeatable ? newIds() : undefined;
    await this.late.beforeRecording(
      call,
      table,
      sent.map((values, at) => ({ id: known?.[at], values })),
    );
    const ids = known ?? newIds();
    const made = sent.map((values, at) => ({ id: ids[at] ?? call.newId('row'), values }));
    const created = await this.record(
      call,
      table,
      made.map(({ id, values }, index) => this.creation(call, table, by, id, values, pathOf(index))),
    );
    await this.late.afterCreation(call, table, created);
    return created;
  }

  async update(call: OperationContext, table: Table, by: By, changes: readonly RowUpdate[]): Promise<readonly Row[]> {
    mustNameOnce(changes, (index) => `rows[${index}].id`);
    await this.late.beforeRecording(call, table, changes);
    return this.updated(call, table, by, changes);
  }

  private async updated(
    call: OperationContext,
    table: Table,
    by: By,
    changes: readonly RowUpdate[],
    also?: RowJudge,
    slots: readonly ExclusiveSlot[] = [],
  ): Promise<readonly Row[]> {
    const after = await this.record(
      call,
      table,
      changes.map((change) => ({ ...this.updating(table, by, change, also), slots: () => slots })),
    );
    // Checks the present values: if an earlier attempt of the call changed a row, the row can have changed again.
    const sent = after.map(({ id, values }, at) => ({ id, values: pickFrom(values, changes[at]?.values ?? {}) }));
    await this.late.afterUpdate(call, table, sent);
    return after;
  }

  /**
   * Refuses if several rows have the values of `match`. Rows that the caller may not read are treated as missing, so
   * that the caller cannot find out whether they exist.
   */
  async upsert(call: OperationContext, table: Table, by: By, match: NewValues, sent: NewValues): Promise<Row> {
    const fieldIds = Object.keys(match);
    const [id = call.newId('row')] = this.ids.take(call, 1);
    const values = { ...match, ...sent };
    await this.late.mustNotBeTakenBack(call, table, [{ id, values }]);
    const earlier = await this.upserted.earlier(call, id);
    for (let attempt = 0; attempt < mostUpsertAttempts; attempt += 1) {
      if (attempt > 0) await setTimeout(Math.random() * attempt * 2);
      const found =
        earlier === undefined ? await this.lookUp.matching(table, match, call.visitedSite, by.reads) : [earlier];
      if (found.length > 1) refuse('several-rows');
      const [there] = found;
      try {
        if (there !== undefined) {
          const mustMatch = (row: Row) => {
            if (!this.lookUp.isMatch(table, match, row)) throw new MatchChanged();
          };
          const change = { id: there, values: there === id ? values : sent, path: 'values' };
          await this.late.beforeRecording(call, table, [change]);
          const slots = this.upserted.slots(call, id, there, attempt);
          return only(await this.updated(call, table, by, [change], mustMatch, slots));
        }
        await this.room.mustHaveRoom(table, 1);
        await this.late.beforeRecording(call, table, [{ id, values }]);
        const holder = streamOf(rows.category, call.workspaceId, id);
        // Rows that the caller may not read can have reserved the same values. Their ids become part of the new
        // reservation's name, so that the two reservations do not conflict.
        const beside = await this.lookUp.matchingBeyond(table, match, call.visitedSite, by.reads);
        const matchedName = matchName({ tableId: table.id, values: match }, table, fieldIds, beside) ?? '';
        const matched: RequestedName = {
          reservation: matchedValues(table, fieldIds, beside)(matchedName, holder),
          taken: () => {
            throw new MatchChanged();
          },
        };
        const creation = this.creation(call, table, by, id, values, 'values');
        // The match is reserved before unique values. So the second of two concurrent upserts fails on the match, and
        // its next attempt finds the row of the first.
        const reserves = (before: Row | undefined) => [matched, ...(creation.reserves?.(before) ?? [])];
        const row = only(await this.record(call, table, [{ ...creation, reserves }]));
        await this.late.afterCreation(call, table, [row]);
        return row;
      } catch (error) {
        if (!(error instanceof MatchChanged)) throw error;
      }
    }
    return refuse('too-much-contention');
  }

  async delete(call: OperationContext, table: Table, by: By, sent: readonly SeenRow[]): Promise<void> {
    mustNameOnce(sent, (index) => `ids[${index}]`);
    const deletions = sent.map(({ id, seenUpdatedAt }): RowsChange => {
      const decide = (row: Row | undefined) => {
        const there = rowOf(table, row);
        by.mustDelete?.(there);
        return deleteRow(table, there, seenUpdatedAt);
      };
      return { aggregate: rows, id, decide };
    });
    await this.runner.changeAll(call, deletions);
  }

  /** @throws Refusal table-full, table-not-found, row-value-taken, and the refusals of `restoreRow` */
  async restore(
    call: OperationContext,
    table: Table,
    id: string,
    { values: then, seenUpdatedAt }: PastValues,
  ): Promise<Row> {
    await this.room.mustHaveRoom(table, 1);
    await this.late.beforeRecording(call, table, [{ id, values: then }]);
    let before: Row | undefined;
    const restored = await this.record(call, table, [
      {
        aggregate: rows,
        id,
        begins: 'perhaps',
        decide: (row) => {
          before = row;
          return restoreRow(table, row, then, seenUpdatedAt);
        },
        reserves: (row) =>
          uniqueNamesOf(table, { id, before: row?.tableId === null ? {} : (row?.values ?? {}), after: then }),
      },
    ]);
    if (before === undefined || before.tableId === null) await this.late.afterCreation(call, table, restored);
    else await this.late.afterUpdate(call, table, restored);
    return only(restored);
  }

  /**
   * Erases the row even if it was deleted or erased before.
   * @throws Refusal row-not-found, if the row never existed
   */
  async erase(call: OperationContext, table: Table, id: string): Promise<void> {
    const stream = streamOf(rows.category, call.workspaceId, id);
    const [first] = await this.store.readStream(stream, { limit: 1 });
    if ((first?.data as { readonly tableId?: string } | undefined)?.tableId !== table.id) rows.missing();
    await this.runner.change<Row | undefined, RowEvent>(call, {
      aggregate: rows,
      id,
      begins: 'perhaps',
      decide: (row) => eraseRow(table, row),
    });
    await this.personal.erase(stream);
  }

  private creation(
    { workspaceId, at }: OperationContext,
    table: Table,
    by: By,
    id: string,
    values: NewValues,
    path: string,
  ): RowsChange {
    const events = createRow(table, values, by.user, path);
    const [{ data }] = events as readonly [Extract<RowEvent, { type: 'RowCreated' }>];
    const after = data.values ?? {};
    by.mustCreate?.({
      id,
      workspaceId,
      tableId: table.id,
      deletedFrom: null,
      createdBy: by.user,
      createdAt: at,
      updatedAt: at,
      values: after,
    });
    return {
      aggregate: rows,
      id,
      begins: true,
      decide: () => events,
      reserves: () => uniqueNamesOf(table, { id, before: {}, after }),
    };
  }

  private updating(table: Table, by: By, { id, values, seenUpdatedAt, path }: RowUpdate, also?: RowJudge): RowsChange {
    const eventsOf = (row: Row | undefined) => {
      const there = rowOf(table, row);
      also?.(there);
      by.mustUpdate?.(there);
      return updateRow(table, there, values, seenUpdatedAt, path);
    };
    return {
      aggregate: rows,
      id,
      decide: eventsOf,
      reserves: (row) => {
        const before = rowOf(table, row).values;
        const after = eventsOf(row).flatMap((event) => (event.type === 'RowUpdated' ? [event.data.values ?? {}] : []));
        return after.flatMap((one) => uniqueNamesOf(table, { id, before, after: one }));
      },
    };
  }

  private async record(call: OperationContext, table: Table, changes: readonly RowsChange[]): Promise<readonly Row[]> {
    const after = await this.runner.changeAll(call, changes);
    const opened = await this.personal.opened(call.workspaceId, after);
    return opened.map((row) => rowOf(table, row));
  }
}

function mustNameOnce(changes: readonly { readonly id: string }[], pathOf: (index: number) => string): void {
  const named = new Set<string>();
  for (const [index, { id }] of changes.entries()) {
    if (named.has(id)) refuse('row-named-twice', { id }, { at: pathOf(index) });
    named.add(id);
  }
}

const pickFrom = (values: RowValues, sent: NewValues): RowValues =>
  Object.fromEntries(Object.entries(values).filter(([fieldId]) => Object.hasOwn(sent, fieldId)));

const only = (made: readonly Row[]): Row => made[0] ?? rows.missing();
