import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import type { Document } from '../../../kernel/record/projection.js';
import { type StoredCondition, StoredConditions } from '../../access/judging/condition-holders.api.js';
import { type RowOfTable, RowRuleValues } from '../../bases/row/rules/row-rule-values.api.js';
import { refuse } from '../audit.refusals.js';
import type { ResourceShape } from './access-explanation.js';

const collections: Readonly<Record<string, string>> = {
  page: 'pages',
  function: 'siteFunctions',
  table: 'tables',
  variable: 'siteEnvVars',
};

/** Kinds that have another name in conditions than in the input, keyed by the name in the input. */
const kinds: Readonly<Record<string, string>> = { variable: 'environment variable' };

const firstOperations = ['read', 'execute', 'send', 'subscribe', 'use'];

export interface FoundResource {
  readonly projectId: string;
  readonly stored: StoredCondition;
  readonly row?: RowOfTable;
}

@Injectable()
export class ExplainedResources {
  constructor(
    private readonly reads: Reads,
    private readonly scopes: Scopes,
    private readonly holders: StoredConditions,
    private readonly rows: RowRuleValues,
  ) {}

  /**
   * @param named the project in the input
   * @param usersOwn the user's project, used if neither the resource nor the input determines the project
   * @throws Refusal explained-resource-not-found, site-not-found
   */
  async find(
    call: OperationContext,
    resource: ResourceShape,
    named: string | undefined,
    usersOwn: string | undefined,
  ): Promise<FoundResource> {
    const { workspaceId } = call;
    const row = resource.kind === 'row' ? await this.rows.find(workspaceId, resource.id) : undefined;
    if (resource.kind === 'row' && row === undefined) return refuse('explained-resource-not-found', resource);
    const { kind, id } = row === undefined ? resource : { kind: 'table', id: row.table.id };
    const projectId = row?.table.projectId ?? (await this.projectOf(workspaceId, kind, id)) ?? named ?? usersOwn;
    if (projectId === undefined || (named !== undefined && named !== projectId)) {
      return refuse('explained-resource-not-found', resource);
    }
    await this.scopes.require('project', call, projectId);
    const all = (await this.holders.conditionsOf(workspaceId, projectId)).filter(
      (one) => one.kind === (kinds[kind] ?? kind) && one.id === id,
    );
    const sought =
      resource.operation ?? firstOperations.find((name) => all.some(({ operation }) => operation === name));
    const stored = all.find(({ operation }) => operation === sought);
    if (stored === undefined) return refuse('explained-resource-not-found', resource);
    return { projectId, stored, ...(row === undefined ? {} : { row }) };
  }

  private async projectOf(workspaceId: string, kind: string, id: string): Promise<string | undefined> {
    if (kind === 'email' || kind === 'proxy') return id;
    const collection = collections[kind];
    if (collection === undefined) return undefined;
    const found = await this.reads.get<Document & { readonly projectId?: string | null }>(workspaceId, collection, id);
    return found?.projectId ?? undefined;
  }
}
