import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { showsFields } from '../../../engine/records/record-views.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type Base, bases } from '../base/base.record.js';
import { rows } from '../row/row.record.js';
import { type Table, tables } from './table.record.js';
import { TableRecord } from './table-shapes.api.js';

showsFields(tables, TableRecord);

@Injectable()
export class TableView {
  constructor(private readonly reads: Reads) {}

  async viewOf(table: Table | undefined): Promise<TableRecord> {
    const found = table ?? tables.missing();
    return { ...found, rowCount: await this.rowsOf(found) };
  }

  async one(call: OperationContext, id: string): Promise<TableRecord> {
    return this.viewOf(await this.reads.one(call, tables, id));
  }

  /**
   * Returns the oldest table first.
   * @throws Refusal base-not-found
   */
  async listed(call: OperationContext, baseId: string): Promise<readonly TableRecord[]> {
    return this.ofBase(await this.reads.one(call, bases, baseId));
  }

  async ofBase({ workspaceId, id: baseId }: Base): Promise<readonly TableRecord[]> {
    const found = await this.reads.find<Table>(workspaceId, 'tables', {
      where: { baseId },
      sort: [['createdAt', 'asc']],
    });
    return Promise.all(found.map((table) => this.viewOf(table)));
  }

  async counted(
    workspaceId: string,
    projectId: string,
  ): Promise<{ readonly tableCount: number; readonly rowCount: number }> {
    const found = await this.reads.find<Table>(workspaceId, 'tables', { where: { projectId } });
    const rows = await Promise.all(found.map((table) => this.rowsOf(table)));
    return { tableCount: found.length, rowCount: rows.reduce((sum, count) => sum + count, 0) };
  }

  private rowsOf({ workspaceId, id: tableId }: Table): Promise<number> {
    return this.reads.count(workspaceId, rows.collection.name, { tableId });
  }
}
