import { Injectable } from '@nestjs/common';
import { CommandHandler } from '@nestjs/cqrs';
import { alongside } from '../../../engine/commands/alongside.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { asks, does } from '../../../engine/records/rule.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { SiteKnown } from '../../access/judging/site-known.api.js';
import { type Base, bases } from '../base/base.record.js';
import { addTable, removeTable, renameTable, unknownTables } from '../base/base-tables.api.js';
import { FieldChanges } from './field-changes.js';
import { addField, createTable, deleteTable, removeField, setTableAccessRules, updateTable } from './table.js';
import {
  AddField,
  CreateTable,
  DeleteTable,
  GetTable,
  ListTables,
  RemoveField,
  SetTableAccessRules,
  UpdateField,
  UpdateTable,
} from './table.operations.js';
import { type Table, type TableEvent, tables } from './table.record.js';
import type { TableRecord } from './table-shapes.api.js';
import { TableView } from './table-view.api.js';

@CommandHandler(CreateTable)
export class CreateTableHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly view: TableView,
    private readonly known: SiteKnown,
  ) {}

  async execute(input: CreateTable): Promise<TableRecord> {
    const call = callOf(input);
    const base = await this.reads.one(call, bases, input.baseId);
    const rules = await this.known.of(call.workspaceId, base.projectId);
    const known = await this.reads.find<Table>(call.workspaceId, 'tables', { where: { baseId: base.id } });
    const ids = new Set(known.map(({ id }) => id));
    const unused = await this.neverRecorded(base, ids, call);
    const tableId = call.newId('tbl');
    const fields = (input.fields ?? []).map((field) => ({ id: call.newId('fld'), field }));
    const { name } = input;
    const description = input.description || null;
    const table = await this.runner.change<Table | undefined, TableEvent>(call, {
      aggregate: tables,
      id: tableId,
      begins: true,
      decide: () => createTable({ baseId: base.id, projectId: base.projectId, name, description, fields }, ids, rules),
      alongside: () => [
        alongside({ aggregate: bases, id: base.id, decide: (now) => addTable(now, { tableId, name, unused }) }),
      ],
    });
    return this.view.of(table);
  }

  private async neverRecorded(base: Base, known: ReadonlySet<string>, { workspaceId, at }: Call) {
    const unknown = unknownTables(base, known, Date.parse(at));
    const found = await Promise.all(unknown.map((id) => this.runner.find(tables, workspaceId, id)));
    return unknown.filter((_, index) => found[index] === undefined);
  }
}

@CommandHandler(AddField)
export class AddFieldHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly view: TableView,
    private readonly known: SiteKnown,
  ) {}

  async execute(input: AddField): Promise<TableRecord> {
    const call = callOf(input);
    const { baseId, projectId } = await this.reads.one(call, tables, input.tableId);
    const known = await this.known.of(call.workspaceId, projectId);
    const siblings = await this.reads.find<Table>(call.workspaceId, 'tables', { where: { baseId } });
    const ids = new Set(siblings.map(({ id }) => id));
    const fieldId = call.newId('fld');
    const table = await this.runner.change<Table | undefined, TableEvent>(call, {
      aggregate: tables,
      id: input.tableId,
      decide: (before) => addField(before ?? tables.missing(), { id: fieldId, field: input.field }, ids, known),
    });
    return this.view.of(table);
  }
}

/** Changes of a table that concern no other record. */
@Injectable()
export class TableChanges {
  constructor(
    private readonly runner: CommandRunner,
    private readonly view: TableView,
    private readonly reads: Reads,
    private readonly known: SiteKnown,
  ) {}

  async setAccessRules(call: Call, { tableId, accessRules }: SetTableAccessRules): Promise<TableRecord> {
    const { projectId } = await this.reads.one(call, tables, tableId);
    const known = await this.known.of(call.workspaceId, projectId);
    return this.change(call, tableId, (table) => setTableAccessRules(table, accessRules, known));
  }

  async change(call: Call, id: string, decide: (table: Table) => readonly TableEvent[]): Promise<TableRecord> {
    const change = { aggregate: tables, id, decide: (before: Table | undefined) => decide(before ?? tables.missing()) };
    return this.view.of(await this.runner.change<Table | undefined, TableEvent>(call, change));
  }

  /** A new name has to be free in the base. */
  async update(call: Call, { id, ...sent }: UpdateTable): Promise<TableRecord> {
    const { name } = sent;
    const table = await this.runner.change<Table | undefined, TableEvent>(call, {
      aggregate: tables,
      id,
      decide: (before) => updateTable(before ?? tables.missing(), sent),
      alongside: (before) =>
        name === undefined
          ? []
          : [alongside({ aggregate: bases, id: baseOf(before), decide: (base) => renameTable(base, id, name) })],
    });
    return this.view.of(table);
  }

  async delete(call: Call, id: string): Promise<{ readonly success: true }> {
    await this.runner.change<Table | undefined, TableEvent>(call, {
      aggregate: tables,
      id,
      decide: (before) => deleteTable(before ?? tables.missing()),
      alongside: (before) => [
        alongside({ aggregate: bases, id: baseOf(before), decide: (base) => removeTable(base, id) }),
      ],
    });
    return { success: true };
  }
}

const baseOf = (table: Table | undefined) => (table ?? tables.missing()).baseId;

export const tableHandlers = [
  TableView,
  TableChanges,
  CreateTableHandler,
  AddFieldHandler,
  asks(ListTables, TableView, (view, { baseId }, call) => view.listed(call, baseId)),
  asks(GetTable, TableView, (view, { id }, call) => view.one(call, id)),
  does(UpdateTable, TableChanges, (changes, input, call) => changes.update(call, input)),
  does(DeleteTable, TableChanges, (changes, { id }, call) => changes.delete(call, id)),
  FieldChanges,
  does(UpdateField, FieldChanges, (changes, input, call) => changes.update(call, input)),
  does(RemoveField, TableChanges, (changes, { tableId, fieldId }, call) =>
    changes.change(call, tableId, (table) => removeField(table, fieldId)),
  ),
  does(SetTableAccessRules, TableChanges, (changes, input, call) => changes.setAccessRules(call, input)),
];
