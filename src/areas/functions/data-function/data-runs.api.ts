import { Injectable, Logger } from '@nestjs/common';
import { DryRunEnded } from '../../../engine/dry-run/dry-run.js';
import { Calls } from '../../../engine/operation/calls.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { functionActor } from '../../../kernel/actors/members-behind.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { SandboxOutcome } from '../../../ports/offloaded/sandbox.port.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import { type RowAnswer, type RowCaller, Rows } from '../../bases/row/rows.api.js';
import { type Table, tables } from '../../bases/table/table.record.js';
import type { Project } from '../../sites/project/project.record.js';
import { type FunctionDocument, hasFullDataAccess } from '../function/function.record.js';
import { refuse } from '../functions.refusals.js';
import { runFailure } from '../run/outcome/run-failure.api.js';
import type { RunRequest } from '../run/run-request.api.js';
import { withNamesOfNow } from './bound-names.api.js';
import { type DataDefinition, filled } from './data-definition.api.js';
import { EarlierNames } from './earlier-names.js';

type DataOutcome = SandboxOutcome & { readonly refusal?: Refusal | undefined };

const tries = 5;

@Injectable()
export class DataRuns {
  private readonly log = new Logger('Runs');

  constructor(
    private readonly rows: Rows,
    private readonly reads: Reads,
    private readonly calls: Calls,
    private readonly policies: SitePolicies,
    private readonly earlier: EarlierNames,
  ) {}

  /** Returns every error but DryRunEnded as a failure, because the end of a run that has begun must be recorded. */
  async outcome(request: RunRequest, fn: FunctionDocument): Promise<DataOutcome> {
    try {
      return { ok: true, result: await this.run(request, fn), logs: [] };
    } catch (error) {
      if (error instanceof DryRunEnded) throw error;
      const reason = error instanceof Refusal ? 'threw' : 'lost';
      return { ok: false, reason, logs: [], ...runFailure(this.log, request, error) };
    }
  }

  /**
   * @throws Refusal several-rows, before anything is changed, if more rows match than the definition's limit allows;
   * site-not-found, key-never-deletes; or any refusal of an operation that reads or changes rows
   */
  private async run(request: RunRequest, fn: FunctionDocument): Promise<Json> {
    const { workspaceId } = request;
    const project = await this.reads.get<Project>(workspaceId, 'projects', fn.projectId ?? '');
    if (project === undefined) return refuse('site-not-found');
    const { kind } = fn.definition as unknown as DataDefinition;
    if (request.neverDeletes && kind === 'delete') refuse('key-never-deletes', { operation: fn.name });
    const call = () => this.calls.within(request, functionActor(fn, request.actor), `site/${kind}`);
    const read = await this.tableOf(call(), fn, project.linkedBaseId);
    const table = { read: read.table };
    const who = await this.callerOf(request, fn, project.id);
    const filledIn = filled(withNamesOfNow(read.definition, read.table), request.params);
    const { filter, sort, limit, fields, values = {} } = filledIn;
    switch (filledIn.kind) {
      case 'get': {
        const { rows } = await this.rows.getRows(call(), who, table, { filter, sort, limit: 1 });
        return rows[0] === undefined ? null : shown(rows[0], fields);
      }
      case 'list': {
        const { rows, total } = await this.rows.getRows(call(), who, table, {
          filter,
          sort,
          limit: Number(limit ?? 100),
        });
        return { rows: rows.map((row) => shown(row, fields)), total };
      }
      case 'count':
        return { count: await this.rows.count(call(), who, table, filter) };
      case 'create': {
        const [row] = await this.rows.createRows(call(), who, table, [values]);
        return row === undefined ? null : shown(row, fields);
      }
      case 'update':
        return this.changing(async () => {
          const hit = await this.hit(
            () => this.rows.getRows(call(), who, table, { filter, limit: most(limit) }),
            limit,
          );
          const changes = hit.map(({ id, updatedAt }) => ({
            id: String(id),
            values,
            seenUpdatedAt: String(updatedAt),
          }));
          if (changes.length > 0) await this.rows.updateRows(call(), who, table, changes);
          return { updated: changes.length };
        });
      case 'delete':
        return this.changing(async () => {
          const hit = await this.hit(
            () => this.rows.getRows(call(), who, table, { filter, limit: most(limit) }),
            limit,
          );
          const seen = hit.map(({ id, updatedAt }) => ({ id: String(id), seenUpdatedAt: String(updatedAt) }));
          if (seen.length > 0) await this.rows.deleteRows(call(), who, table, seen);
          return { deleted: hit.length };
        });
    }
  }

  /**
   * Finds the table by its id, so the function also works after the table is renamed.
   * @throws Refusal table-not-found
   */
  private async tableOf(
    call: OperationContext,
    fn: FunctionDocument,
    baseId: string,
  ): Promise<{ readonly definition: DataDefinition; readonly table: Table }> {
    const saved = fn.definition as unknown as DataDefinition;
    const definition = saved.ids === undefined ? await this.earlier.bound(fn, baseId) : saved;
    const table = await this.rows.table(call, { id: definition.ids?.table ?? '' });
    return table.baseId === baseId ? { definition, table } : tables.missing();
  }

  private async callerOf(
    { workspaceId, visitor }: RunRequest,
    fn: FunctionDocument,
    projectId: string,
  ): Promise<RowCaller> {
    if (visitor === undefined || hasFullDataAccess(fn)) return { as: 'owner' };
    return { as: 'user', asking: visitor, policies: await this.policies.of(workspaceId, projectId) };
  }

  /** @throws Refusal several-rows if more than `limit` rows match */
  private async hit(
    find: () => Promise<{ readonly rows: readonly RowAnswer[]; readonly total: number }>,
    limit: Json | undefined,
  ): Promise<readonly RowAnswer[]> {
    const { rows, total } = await find();
    return total > most(limit) ? refuse('several-rows') : rows;
  }

  private async changing(change: () => Promise<JsonObject>): Promise<Json> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await change();
      } catch (error) {
        const moved = error instanceof Refusal && ['row-changed-since', 'row-not-found'].includes(error.code);
        if (!moved || attempt === tries) throw error;
      }
    }
  }
}

/** The default is one row (Q-S112). */
const most = (limit: Json | undefined): number => Number(limit ?? 1);

function shown(row: RowAnswer, fields: readonly string[] | undefined): JsonObject {
  const all = row as unknown as JsonObject;
  if (fields === undefined) return all;
  return Object.fromEntries(
    ['id', ...fields].filter((name) => Object.hasOwn(all, name)).map((name) => [name, all[name]]),
  );
}
