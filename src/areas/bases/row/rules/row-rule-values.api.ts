import { Injectable } from '@nestjs/common';
import { Reads } from '../../../../engine/scopes/reads.js';
import type { Policies, Rule } from '../../../../kernel/condition/condition.js';
import { type Table, tables } from '../../table/table.record.js';
import { type Row, rows } from '../row.record.js';
import { isRowWithin } from './row-access.js';
import { RowCallers } from './row-callers.js';
import type { Asking } from './row-rules.js';

export interface RowOfTable {
  readonly row: Row;
  readonly table: Table;
}

@Injectable()
export class RowRuleValues {
  constructor(
    private readonly reads: Reads,
    private readonly callers: RowCallers,
  ) {}

  async find(workspaceId: string, rowId: string): Promise<RowOfTable | undefined> {
    const row = await this.reads.get<Row>(workspaceId, rows.collection.name, rowId);
    if (!row || row.tableId === null) return undefined;
    const table = await this.reads.get<Table>(workspaceId, tables.collection.name, row.tableId);
    return table && { row, table };
  }

  /** Returns `fault` if the rule cannot be evaluated on rows of this table. */
  async valuesOf(
    { row, table }: RowOfTable,
    rule: Rule,
    asking: Asking,
    policies: Policies,
  ): Promise<'allowed' | 'denied' | 'fault'> {
    const holds = async (read: Rule | { readonly not: Rule }) => {
      const alone = {
        ...table,
        fields: table.fields.map((one) => ({ ...one, accessRules: {} })),
        accessRules: { read },
      };
      const access = await this.callers.accessOf({ as: 'user', asking, policies }, alone, ['read']);
      return isRowWithin(access.rows.read, row);
    };
    if (await holds(rule)) return 'allowed';
    return (await holds({ not: rule })) ? 'denied' : 'fault';
  }
}
