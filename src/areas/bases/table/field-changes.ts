import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { derivedUuid } from '../../../kernel/event/derived-id.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { SiteKnown } from '../../access/judging/site-known.api.js';
import { UniqueValues } from '../row/unique-values.api.js';
import { tableFieldOf, updateField } from './table.js';
import { type Table, type TableEvent, tables } from './table.record.js';
import type { TableRecord } from './table-shapes.api.js';
import { TableView } from './table-view.api.js';

type SentChange = Parameters<typeof updateField>[2];

@Injectable()
export class FieldChanges {
  constructor(
    private readonly runner: CommandRunner,
    private readonly loader: AggregateLoader,
    private readonly reads: Reads,
    private readonly doubles: UniqueValues,
    private readonly known: SiteKnown,
    private readonly view: TableView,
  ) {}

  /**
   * A field can become unique only if no two rows have the same value. A concurrent writer could have loaded the table
   * before this change was recorded. The rows are therefore checked again afterwards, and the setting is reverted if
   * there are duplicates.
   * @throws Refusal field-not-found, values-not-unique, and as updateField
   */
  async update(call: OperationContext, tableId: string, fieldId: string, sent: SentChange): Promise<TableRecord> {
    const table = await this.reads.one(call, tables, tableId);
    const field = tableFieldOf(table, fieldId);
    const known = await this.known.of(call.workspaceId, table.projectId);
    const began = sent.unique === true && (await this.wasRecorded(call, tableId));
    const becomesUnique = sent.unique === true && began === field.unique;
    const change = (by: OperationContext, changed: SentChange) =>
      this.runner.change<Table | undefined, TableEvent>(by, {
        aggregate: tables,
        id: tableId,
        decide: (before) => updateField(before ?? tables.missing(), fieldId, changed, known),
      });
    if (becomesUnique && !began) await this.doubles.mustBeNone(table, field);
    const after = await change(call, sent);
    if (becomesUnique) {
      try {
        await this.doubles.mustBeNone(table, field);
      } catch (error) {
        const commandId = derivedUuid(`${call.commandId}/not unique after all`);
        await change({ ...call, commandId }, { unique: false });
        throw error instanceof Refusal ? error.afterEffect() : error;
      }
    }
    return this.view.viewOf(after);
  }

  /**
   * Returns whether an earlier attempt of the call recorded the change. That attempt may have been killed before it
   * checked the rows again.
   */
  private async wasRecorded(call: OperationContext, tableId: string): Promise<boolean> {
    const { workspaceId, repeatable, firstTime, commandId, notBefore } = call;
    if (!repeatable || firstTime) return false;
    return this.loader.recordedBy(streamOf(tables.category, workspaceId, tableId), commandId, notBefore);
  }
}
