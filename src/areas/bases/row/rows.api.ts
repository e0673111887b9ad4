import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { isJsonObject, type JsonObject } from '../../../kernel/json/json.js';
import { refuse } from '../bases.refusals.js';
import { type Table, type TableField, tables } from '../table/table.record.js';
import { changedValues, newValues } from './reading/field-values.js';
import type { NewValues } from './row.js';
import type { Row } from './row.record.js';
import { RowHistory, type RowMoment } from './row-history.js';
import { type ListAnswer, type ListQuery, mustBeReadable, RowReader } from './row-reader.js';
import { type RowAnswer, rowShown } from './row-view.js';
import { type By, RowWriter, type SeenRow } from './row-writer.js';
import { RelatedValues } from './rules/related-values.js';
import { fullAccess, isRowWithin, type RowAccess, type RowRight, unwritable } from './rules/row-access.js';
import { type RowCaller, RowCallers } from './rules/row-callers.js';
import { denyRow, denyWriting, RowDenials } from './rules/row-denials.js';

export type { RowAnswer } from './row-view.js';
export type { RowCaller } from './rules/row-callers.js';

export type TableName =
  | { readonly id: string }
  | { readonly baseId: string; readonly nameOrId: string }
  | { readonly read: Table };

export interface SentChange {
  readonly id: string;
  readonly values: JsonObject;
  readonly seenUpdatedAt?: string | undefined;
}

/** Each call is limited to the caller's access. Values in inputs and answers are keyed by field name. */
@Injectable()
export class Rows {
  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
    private readonly scopes: Scopes,
    private readonly callers: RowCallers,
    private readonly reader: RowReader,
    private readonly writer: RowWriter,
    private readonly related: RelatedValues,
    private readonly past: RowHistory,
    private readonly denials: RowDenials,
  ) {}

  /** Returns the oldest table first, with only the fields that the caller may read. */
  async tables(call: OperationContext, who: RowCaller, baseId: string): Promise<readonly Table[]> {
    return this.callers.shownTo(who, await this.allOf(call, baseId));
  }

  /** @throws Refusal table-not-found, also if the caller may not read any of its rows */
  async shownTable(call: OperationContext, who: RowCaller, name: TableName): Promise<Table> {
    const table = await this.table(call, name);
    if (who.as !== 'user') return table;
    const shown = await this.callers.shownTo(who, await this.allOf(call, table.baseId));
    return shown.find(({ id }) => id === table.id) ?? tables.missing();
  }

  /**
   * Returns `name.read` if it is set, otherwise the table's latest recorded state.
   * @throws Refusal table-not-found, and the refusals of `Scopes.admit`
   */
  async table(call: OperationContext, name: TableName): Promise<Table> {
    return (await this.named(call, name)).table;
  }

  private async named(call: OperationContext, name: TableName): Promise<Named> {
    if ('read' in name) return { table: name.read };
    if ('id' in name) return { table: await this.recorded(call, name, name.id) };
    const ofBase = await this.allOf(call, name.baseId);
    return { table: await this.recorded(call, name, idIn(ofBase, name.nameOrId)), ofBase };
  }

  private async recorded(call: OperationContext, name: TableName, id: string): Promise<Table> {
    const table = (await this.runner.find(tables, call.workspaceId, id)) ?? tables.missing();
    if ('baseId' in name && table.baseId !== name.baseId) tables.missing();
    if (call.caller !== undefined) await this.scopes.admit(call, tables, table);
    return table;
  }

  async getRow(call: OperationContext, who: RowCaller, name: TableName, id: string): Promise<RowAnswer> {
    const { table, access } = await this.at(call, who, name, ['read']);
    return rowShown(table, access, await this.reader.one(table, access, id));
  }

  async getRows(call: OperationContext, who: RowCaller, name: TableName, query: ListQuery): Promise<ListAnswer> {
    const { table, access } = await this.at(call, who, name, ['read']);
    return this.denials.withDecisionIds(who, table, () => this.reader.list(table, access, query, call.visitedSite));
  }

  async count(call: OperationContext, who: RowCaller, name: TableName, filter?: JsonObject): Promise<number> {
    const { table, access } = await this.at(call, who, name, ['read']);
    return this.denials.withDecisionIds(who, table, () => this.reader.count(table, access, filter, call.visitedSite));
  }

  async report(
    call: OperationContext,
    who: RowCaller,
    name: TableName,
    spec: JsonObject,
  ): Promise<readonly JsonObject[]> {
    const { table, access } = await this.at(call, who, name, ['read']);
    return this.denials.withDecisionIds(who, table, () => this.reader.report(table, access, spec, call.visitedSite));
  }

  async createRows(
    call: OperationContext,
    who: RowCaller,
    name: TableName,
    sent: readonly JsonObject[],
  ): Promise<readonly RowAnswer[]> {
    const at = await this.at(call, who, name, ['create', 'read']);
    await this.mustMayAny(who, at, 'create');
    const pathOf = (index: number) => (sent.length === 1 ? 'values' : `rows[${index}]`);
    const named = sent.map((one) => valuesIn(at.table, one));
    await this.mustShowFields(who, at, named);
    const values = named.map((one, index) => newValues(at.table, one, pathOf(index)));
    await this.related.mustLead(at.table, values, pathOf);
    const made = await this.denials.withDecisionIds(who, at.table, () =>
      this.writer.create(call, at.table, this.by(who, at, values), values, pathOf),
    );
    return made.map((row) => rowShown(at.table, at.access, row));
  }

  async updateRows(
    call: OperationContext,
    who: RowCaller,
    name: TableName,
    sent: readonly SentChange[],
  ): Promise<readonly RowAnswer[]> {
    const at = await this.at(call, who, name, ['update', 'read']);
    await this.mustMayAny(who, at, 'update');
    const mayNone = at.access.rows.update === 'nothing';
    const unseen = unseenIn(
      at,
      sent.map(({ values }) => values),
    );
    const pathOf = (index: number) => (sent.length === 1 ? 'values' : `rows[${index}].values`);
    const changes = sent.map(({ id, values, seenUpdatedAt }, index) => ({
      id,
      // These values are refused for each row anyway. An error about them would reveal the field.
      values: mayNone ? {} : changedValues(at.table, without(unseen, values), pathOf(index)),
      seenUpdatedAt,
      path: pathOf(index),
    }));
    const values = changes.map((change) => change.values);
    await this.related.mustLead(at.table, values, pathOf);
    const made = await this.denials.withDecisionIds(who, at.table, () =>
      this.writer.update(call, at.table, this.by(who, at, [...values, idsOf(unseen)]), changes),
    );
    return made.map((row) => rowShown(at.table, at.access, row));
  }

  async upsertRow(
    call: OperationContext,
    who: RowCaller,
    name: TableName,
    match: JsonObject,
    sent: JsonObject,
  ): Promise<RowAnswer> {
    const at = await this.at(call, who, name, ['create', 'update', 'read']);
    if (at.access.rows.update === 'nothing') await this.mustMayAny(who, at, 'create');
    await this.mustShowFields(who, at, [match, sent]);
    const [by, values] = [changedValues(at.table, match, 'match'), changedValues(at.table, sent)];
    if (Object.keys(by).length === 0) refuse('match-empty');
    const paths = Object.keys(by).map((id) => `values.${id}`);
    await this.denials.withDecisionIds(who, at.table, async () => mustBeReadable(at.table, at.access, paths));
    await this.related.mustLead(at.table, [by, values], (index) => (index === 0 ? 'match' : 'values'));
    const row = await this.denials.withDecisionIds(who, at.table, () =>
      this.writer.upsert(call, at.table, this.by(who, at, [by, values]), by, values),
    );
    return rowShown(at.table, at.access, row);
  }

  /** @throws Refusal row-changed-since, before any row is deleted, if one has changed since it was seen */
  async deleteRows(call: OperationContext, who: RowCaller, name: TableName, sent: readonly SeenRow[]): Promise<void> {
    const at = await this.at(call, who, name, ['delete', 'read']);
    const work = () => this.writer.delete(call, at.table, this.by(who, at, []), sent);
    await this.denials.withDecisionIds(who, at.table, work);
  }

  /** Only for members, because erasing destroys the history of the row. */
  async eraseRow(call: OperationContext, name: TableName, id: string): Promise<void> {
    await this.writer.erase(call, await this.table(call, name), id);
  }

  /**
   * Restores the state that the row had at the moment `when`: by default, just before its last change. Drops values of
   * fields that the table no longer has. Only for members.
   * @throws Refusal table-deleted, row-not-there-then, invalid-input if a related row no longer exists, and the
   * refusals of `RowWriter.restore`, such as row-erased
   */
  async undoRow(
    call: OperationContext,
    name: { readonly id: string },
    id: string,
    when: RowMoment,
  ): Promise<RowAnswer> {
    await this.past.mustExist(call, name.id);
    const table = await this.table(call, name);
    const then = await this.past.valuesAt(call, table, id, when);
    await this.related.mustLead(table, [then.values], () => 'values');
    return rowShown(table, fullAccess, await this.writer.restore(call, table, id, then));
  }

  private async at(call: OperationContext, who: RowCaller, name: TableName, rights: readonly RowRight[]): Promise<At> {
    const { table, ofBase } = await this.named(call, name);
    return { table, access: await this.callers.accessOf(who, table, rights, ofBase) };
  }

  /**
   * Call this before the values are checked, because errors about values reveal the fields.
   * @throws Refusal row-not-allowed, row-not-found
   */
  private async mustMayAny(who: RowCaller, { table, access }: At, right: 'create' | 'update'): Promise<void> {
    if (right === 'update' && access.rows.read === 'nothing') refuse('row-not-found');
    if (right === 'create' && access.rows.create === 'nothing') {
      await this.denials.withDecisionIds(who, table, async () => denyRow(table, right));
    }
  }

  /**
   * Refuses fields that the caller may neither read nor write, before errors about their values reveal their type.
   * @throws Refusal field-not-writable
   */
  private async mustShowFields(who: RowCaller, at: At, sent: readonly JsonObject[]): Promise<void> {
    const [unseen] = unseenIn(at, sent);
    if (unseen === undefined) return;
    await this.denials.withDecisionIds(who, at.table, async () => denyWriting(at.table, unseen));
  }

  private by(who: RowCaller, { table, access }: At, sent: readonly NewValues[]): By {
    const written = [...new Set(sent.flatMap((values) => Object.keys(values)))];
    const mustAllow = (right: RowRight) => (row: Row) => {
      if (right !== 'create' && !isRowWithin(access.rows.read, row)) refuse('row-not-found');
      if (!isRowWithin(access.rows[right], row)) denyRow(table, right, row);
      const [denied] = right === 'delete' ? [] : unwritable(access, written, row);
      const field = table.fields.find(({ id }) => id === denied);
      if (field !== undefined) denyWriting(table, field, row);
    };
    return {
      user: who.as === 'user' ? (who.asking.person?.id ?? null) : null,
      reads: access.rows.read,
      mustCreate: mustAllow('create'),
      mustUpdate: mustAllow('update'),
      mustDelete: mustAllow('delete'),
    };
  }

  private allOf({ workspaceId }: OperationContext, baseId: string): Promise<readonly Table[]> {
    return this.reads.find<Table>(workspaceId, tables.collection.name, {
      where: { baseId },
      sort: [['createdAt', 'asc']],
    });
  }
}

function idIn(all: readonly Table[], nameOrId: string): string {
  const found = all.find(({ id }) => id === nameOrId) ?? all.find(({ name }) => name === nameOrId);
  return (found ?? tables.missing()).id;
}

/** Returns the fields in `sent` that the caller may neither read nor write. */
function unseenIn({ table, access }: At, sent: readonly JsonObject[]): readonly TableField[] {
  return table.fields.filter(({ id, name }) => {
    const scope = access.fields.get(id);
    const isUnseen = scope?.read === 'nothing' && scope.write === 'nothing';
    return isUnseen && sent.some((values) => Object.hasOwn(values, name));
  });
}

const without = (fields: readonly TableField[], values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([sent]) => !fields.some(({ name }) => name === sent)));

const idsOf = (fields: readonly TableField[]): NewValues => Object.fromEntries(fields.map(({ id }) => [id, null]));

interface Named {
  readonly table: Table;
  readonly ofBase?: readonly Table[];
}

interface At {
  readonly table: Table;
  readonly access: RowAccess;
}

/**
 * Returns the values. The input may also be `{ values }`, as for createRow, unless the table has a field of that name.
 */
function valuesIn({ fields }: Table, sent: JsonObject): JsonObject {
  const [[name, values] = [], ...others] = Object.entries(sent);
  const isWrapped = name === 'values' && others.length === 0 && isJsonObject(values);
  return isWrapped && !fields.some((field) => field.name === 'values') ? values : sent;
}
