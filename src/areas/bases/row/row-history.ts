import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import type { Recorded } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { refuse } from '../bases.refusals.js';
import { type Table, tables } from '../table/table.record.js';
import { type Row, type RowEvent, type RowValues, rows } from './row.record.js';

/**
 * A moment is the time `at`, or just before the event at log position `before`. If both are omitted, the moment is just
 * before the row's last change.
 */
export interface RowMoment {
  readonly at?: string | undefined;
  readonly before?: number | undefined;
}

export interface PastValues {
  readonly values: RowValues;
  /** The row's `updatedAt` when its history was read. Set only if the moment is just before the row's last change. */
  readonly seenUpdatedAt?: string;
}

@Injectable()
export class RowHistory {
  constructor(
    private readonly loader: AggregateLoader,
    private readonly personal: PersonalData,
  ) {}

  /** @throws Refusal table-deleted, if the table has been deleted */
  async mustExist({ workspaceId }: OperationContext, tableId: string): Promise<void> {
    const { state, revision } = await this.loader.load(tables, streamOf(tables.category, workspaceId, tableId));
    if (state === undefined && revision >= 0) refuse('table-deleted');
  }

  /**
   * Returns decrypted values. If an earlier attempt of the call changed the row, returns the values that it restored.
   * @throws Refusal invalid-input, if `at` and `before` are both set; row-not-found, if the row never existed;
   * row-erased; row-not-there-then
   */
  async valuesAt(
    { commandId, repeatable }: OperationContext,
    table: Table,
    id: string,
    { at, before }: RowMoment,
  ): Promise<PastValues> {
    if (at !== undefined && before !== undefined) {
      refuseInput([{ path: 'before', message: 'must not be sent together with at' }]);
    }
    let now: Row | undefined;
    let then: Row | undefined;
    let events = 0;
    let isRepeated = false;
    const isLastChange = at === undefined && before === undefined;
    for await (const event of this.loader.history(streamOf(rows.category, table.workspaceId, id))) {
      isRepeated ||= repeatable && event.metadata.commandId === commandId;
      if (isLastChange && !isRepeated) then = now;
      now = rows.evolve(now, event as unknown as Recorded<RowEvent>);
      events += 1;
      if (isRepeated) continue;
      if (at !== undefined && Date.parse(event.metadata.at) <= Date.parse(at)) then = now;
      if (before !== undefined && event.position < before) then = now;
    }
    if (events === 0 || (now !== undefined && (now.tableId ?? now.deletedFrom) !== table.id)) return rows.missing();
    if (now === undefined) return refuse('row-erased');
    if (then === undefined || then.tableId === null) return refuse('row-not-there-then');
    const values: RowValues | null = (await this.personal.opened(table.workspaceId, then)).values;
    if (values === null) return refuse('row-erased');
    return { values, ...(isLastChange && { seenUpdatedAt: now.updatedAt }) };
  }
}
