import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { alongside } from '../../../engine/commands/related-changes.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { SiteKnown } from '../../access/judging/site-known.api.js';
import { type Base, bases } from '../base/base.record.js';
import { addTable, unknownTables } from '../base/base-tables.api.js';
import type { FieldInput } from './fields.js';
import { createTable } from './table.js';
import { type Table, type TableEvent, tables } from './table.record.js';

@Injectable()
export class TableCreation {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly known: SiteKnown,
  ) {}

  /** @throws Refusal base-not-found, table-name-taken, too-many-tables, and as createTable */
  async create(
    call: OperationContext,
    baseId: string,
    sent: { readonly name: string; readonly description: string | null; readonly fields: readonly FieldInput[] },
  ): Promise<Table | undefined> {
    const { name } = sent;
    const { projectId, ...base } = await this.reads.one(call, bases, baseId);
    const rules = await this.known.of(call.workspaceId, projectId);
    const known = await this.reads.find<Table>(call.workspaceId, 'tables', { where: { baseId } });
    const ids = new Set(known.map(({ id }) => id));
    const unused = await this.neverRecorded(base, ids, call);
    const tableId = call.newId('tbl');
    const fields = sent.fields.map((field) => ({ id: call.newId('fld'), field }));
    return this.runner.change<Table | undefined, TableEvent>(call, {
      aggregate: tables,
      id: tableId,
      begins: true,
      decide: () => createTable({ baseId, projectId, ...sent, fields }, ids, rules),
      alongside: () => [
        alongside({ aggregate: bases, id: baseId, decide: (now) => addTable(now, { tableId, name, unused }) }),
      ],
    });
  }

  private async neverRecorded(
    base: Pick<Base, 'tables'>,
    known: ReadonlySet<string>,
    { workspaceId, at }: OperationContext,
  ) {
    const unknown = unknownTables(base, known, Date.parse(at));
    const found = await Promise.all(unknown.map((id) => this.runner.find(tables, workspaceId, id)));
    return unknown.filter((_, index) => found[index] === undefined);
  }
}
