import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { refuse } from '../bases.refusals.js';
import type { Table, TableField } from '../table/table.record.js';
import { columnOf } from './reading/column.js';
import { rows } from './row.record.js';

@Injectable()
export class UniqueValues {
  constructor(private readonly reads: Reads) {}

  /** @throws Refusal values-not-unique, if two rows have the same value in the field */
  async mustBeNone({ id: tableId, workspaceId }: Table, field: TableField): Promise<void> {
    const { path, kind } = columnOf(field);
    if (kind === 'list' || kind === 'json') return;
    const [most] = await this.reads.groups(workspaceId, rows.collection.name, {
      where: { tableId },
      filter: { field: path, kind, operator: 'isNotEmpty' },
      by: [{ as: 'value', field: path, kind }],
      measures: [{ as: 'count', op: 'count' }],
      sort: [['count', 'desc']],
      limit: 1,
    });
    const count = Number(most?.['count'] ?? 0);
    if (count > 1) refuse('values-not-unique', { field: field.name, count });
  }
}
