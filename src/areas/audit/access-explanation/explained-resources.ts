import { Injectable } from '@nestjs/common';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import type { Document } from '../../../kernel/record/projection.js';
import { ConditionHolders, type HeldCondition } from '../../access/judging/condition-holders.api.js';
import { type RowOfTable, RowRuleValues } from '../../bases/row/rules/row-rule-values.api.js';
import { refuse } from '../audit.refusals.js';
import type { ResourceShape } from './access-explanation.js';

/** The read models that know of which project something is. */
const collections: Readonly<Record<string, string>> = {
  page: 'pages',
  function: 'siteFunctions',
  table: 'tables',
  variable: 'siteEnvVars',
};

/** What the holders call it, where that differs. */
const kinds: Readonly<Record<string, string>> = { variable: 'environment variable' };

const firstOperations = ['read', 'execute', 'send', 'subscribe', 'use'];

export interface Found {
  readonly projectId: string;
  readonly held: HeldCondition;
  /** The row that is asked about; the condition is that of its table. */
  readonly row?: RowOfTable;
}

/** Finds what somebody asks about, with the condition that it is kept with. */
@Injectable()
export class ExplainedResources {
  constructor(
    private readonly reads: Reads,
    private readonly scopes: Scopes,
    private readonly holders: ConditionHolders,
    private readonly rows: RowRuleValues,
  ) {}

  /**
   * `named`: the project that the input names. `usersOwn`: where to look for what names no project itself.
   * @throws Refusal explained-resource-not-found, site-not-found
   */
  async find(
    call: Call,
    resource: ResourceShape,
    named: string | undefined,
    usersOwn: string | undefined,
  ): Promise<Found> {
    const { workspaceId } = call;
    const row = resource.kind === 'row' ? await this.rows.find(workspaceId, resource.id) : undefined;
    if (resource.kind === 'row' && row === undefined) return refuse('explained-resource-not-found', resource);
    const { kind, id } = row === undefined ? resource : { kind: 'table', id: row.table.id };
    const projectId = row?.table.projectId ?? (await this.projectOf(workspaceId, kind, id)) ?? named ?? usersOwn;
    if (projectId === undefined || (named !== undefined && named !== projectId)) {
      return refuse('explained-resource-not-found', resource);
    }
    await this.scopes.require('project', call, projectId);
    const all = (await this.holders.of(workspaceId, projectId)).filter(
      (one) => one.kind === (kinds[kind] ?? kind) && one.id === id,
    );
    const wanted =
      resource.operation ?? firstOperations.find((name) => all.some(({ operation }) => operation === name));
    const held = all.find(({ operation }) => operation === wanted);
    if (held === undefined) return refuse('explained-resource-not-found', resource);
    return { projectId, held, ...(row === undefined ? {} : { row }) };
  }

  private async projectOf(workspaceId: string, kind: string, id: string): Promise<string | undefined> {
    if (kind === 'email' || kind === 'proxy') return id;
    const collection = collections[kind];
    if (collection === undefined) return undefined;
    const found = await this.reads.get<Document & { readonly projectId?: string | null }>(workspaceId, collection, id);
    return found?.projectId ?? undefined;
  }
}
