import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { Visitor } from '../../access/judging/visitor.api.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import { type RowCaller, Rows } from '../../bases/row/rows.api.js';
import type { Project } from '../../sites/project/project.record.js';
import { refuse } from '../functions.refusals.js';
import { type TablesAccess, type TablesMember, type TablesName, tablesMembers } from './members/tables-members.js';
import { TablesArguments } from './tables-arguments.js';

export type { TablesName };

@Injectable()
export class VisitorTables {
  constructor(
    private readonly rows: Rows,
    private readonly policies: SitePolicies,
  ) {}

  /**
   * For readAll, the result has the members `rows` and `hiddenFields`. A member of the workspace who previews the site
   * or uses an app acts as the owner (Q-S61).
   * @param input the arguments by name, including options
   * @throws Refusal key-never-deletes, or any refusal of an operation that reads or changes rows
   * @throws CapabilityRefused invalid-input
   */
  async run(
    call: OperationContext,
    site: Pick<Project, 'id' | 'workspaceId' | 'linkedBaseId'>,
    visitor: Visitor,
    name: TablesName,
    input: JsonObject,
  ): Promise<Json> {
    const member: TablesMember = tablesMembers[name];
    if (visitor.member?.neverDeletes && member.does === 'delete') {
      refuse('key-never-deletes', { operation: call.operation });
    }
    const access: TablesAccess = { call, who: await this.callerOf(site, visitor), baseId: site.linkedBaseId };
    const args = argumentsOf(member, input);
    const read = (more: readonly Json[]) =>
      member.run(this.rows, access, new TablesArguments([...args, ...more], name));
    try {
      return name === 'readAll' ? await allPages(read) : await read([]);
    } catch (error) {
      throw await this.withVisibleFields(error, access, input);
    }
  }

  private async callerOf(
    { id, workspaceId }: Pick<Project, 'id' | 'workspaceId'>,
    visitor: Visitor,
  ): Promise<RowCaller> {
    if (visitor.member !== undefined) return { as: 'owner' };
    const asking = { ...visitor, projectId: id };
    return { as: 'user', asking, policies: await this.policies.of(workspaceId, id) };
  }

  /** An unknown-field refusal must name only fields that the visitor may read. */
  private async withVisibleFields(
    error: unknown,
    { call, who, baseId }: TablesAccess,
    { table }: JsonObject,
  ): Promise<unknown> {
    if (!(error instanceof Refusal) || error.code !== 'unknown-field') return error;
    const shown = (await this.rows.tables(call, who, baseId)).find(({ id, name }) => id === table || name === table);
    const fields = shown?.fields.map(({ name }) => name) ?? [];
    return error.with({ fields });
  }
}

function argumentsOf({ takes }: TablesMember, input: JsonObject): readonly Json[] {
  const options = Object.entries(input).filter(([name, value]) => value !== undefined && !takes.includes(name));
  return [...takes.map((name) => input[name] ?? null), Object.fromEntries(options)];
}

interface Page {
  readonly rows: readonly Json[];
  readonly hiddenFields: readonly string[];
  readonly next: string | null;
}

async function allPages(read: (progress: readonly Json[]) => Promise<Json>): Promise<Json> {
  const rows: Json[] = [];
  const hidden = new Set<string>();
  for (let next: string | null = null; ; ) {
    const page = (await read([next, rows.length])) as unknown as Page;
    rows.push(...page.rows);
    for (const name of page.hiddenFields) hidden.add(name);
    next = page.next;
    if (next === null) return { rows, hiddenFields: [...hidden] };
  }
}
