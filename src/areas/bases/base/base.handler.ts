import { Injectable } from '@nestjs/common';
import { alongside } from '../../../engine/commands/alongside.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { showsAs } from '../../../engine/records/record-views.js';
import { asks, does } from '../../../engine/records/rule.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { tables } from '../table/table.record.js';
import { TableView } from '../table/table-view.api.js';
import { createBase, deleteBase, updateBase } from './base.js';
import { BaseRecord, CreateBase, DeleteBase, GetBase, ListBases, UpdateBase } from './base.operations.js';
import { type Base, type BaseEvent, bases } from './base.record.js';

const baseOnly = ({ tables: _, ...base }: Base) => shown(BaseRecord, base);

showsAs(bases, baseOnly);

/** Bases as they are answered, and the changes of them. */
@Injectable()
export class Bases {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly tables: TableView,
    private readonly scopes: Scopes,
  ) {}

  async list(call: Call): Promise<readonly BaseRecord[]> {
    const found = await this.reads.find<Base>(call.workspaceId, 'bases', { sort: [['createdAt', 'asc']] });
    const allowed = await this.scopes.allowed(call, found);
    return Promise.all(allowed.map((base) => this.shown(base)));
  }

  async one(call: Call, id: string): Promise<BaseRecord> {
    return this.shown(await this.reads.one(call, bases, id));
  }

  async create(call: Call, input: CreateBase): Promise<BaseRecord> {
    const base = await this.runner.change<Base | undefined, BaseEvent>(call, {
      aggregate: bases,
      id: call.newId('base'),
      begins: true,
      decide: () => createBase(input),
    });
    return this.shown(base ?? bases.missing());
  }

  async update(call: Call, { id, ...sent }: UpdateBase): Promise<BaseRecord> {
    const base = await this.runner.change<Base | undefined, BaseEvent>(call, {
      aggregate: bases,
      id,
      decide: (before) => updateBase(before ?? bases.missing(), sent),
    });
    return this.shown(base ?? bases.missing());
  }

  /** The tables end with it; what becomes of their rows is as when a table is deleted. */
  async delete(call: Call, id: string): Promise<{ readonly success: true }> {
    await this.runner.change<Base | undefined, BaseEvent>(call, {
      aggregate: bases,
      id,
      decide: (before) => deleteBase(before ?? bases.missing()),
      alongside: (before) =>
        Object.keys(before?.tables ?? {}).map((tableId) =>
          alongside({
            aggregate: tables,
            id: tableId,
            decide: (table) =>
              table === undefined
                ? []
                : [{ type: 'TableDeleted' as const, data: { baseId: id, projectId: table.projectId } }],
          }),
        ),
    });
    return { success: true };
  }

  private async shown(base: Base): Promise<BaseRecord> {
    return { ...baseOnly(base), tables: await this.tables.ofBase(base) };
  }
}

export const baseHandlers = [
  Bases,
  asks(ListBases, Bases, (found, _, call) => found.list(call)),
  asks(GetBase, Bases, (found, { id }, call) => found.one(call, id)),
  does(CreateBase, Bases, (found, input, call) => found.create(call, input)),
  does(UpdateBase, Bases, (found, input, call) => found.update(call, input)),
  does(DeleteBase, Bases, (found, { id }, call) => found.delete(call, id)),
];
