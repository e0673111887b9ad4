import { Injectable } from '@nestjs/common';
import { Reads } from '../../../../engine/scopes/reads.js';
import type { Policies } from '../../../../kernel/condition/condition.js';
import type { Filter } from '../../../../kernel/rows/row-filter.js';
import { type Table, tables } from '../../table/table.record.js';
import { type Row, rows } from '../row.record.js';
import { followed, type RowScope } from './related-rows.js';
import { fullAccess, type RowAccess, type RowRight, rowAccessOf } from './row-access.js';
import { type Asking, rowsAllowed } from './row-rules.js';

/**
 * Access rules apply only to users and visitors of the site, not to the owner, nor to members, whose role was checked
 * before.
 */
export type RowCaller =
  | { readonly as: 'owner' }
  | { readonly as: 'member' }
  | { readonly as: 'user'; readonly asking: Asking; readonly policies: Policies };

@Injectable()
export class RowCallers {
  constructor(private readonly reads: Reads) {}

  async accessOf(
    who: RowCaller,
    table: Table,
    rights: readonly RowRight[],
    ofBase?: readonly Table[],
  ): Promise<RowAccess> {
    if (who.as !== 'user') return fullAccess;
    const { place, findIds } = await this.at(who.policies, table, ofBase);
    return rowAccessOf(who.asking, place, findIds, rights);
  }

  /** Relationships are not resolved, so a returned table can turn out to contain no readable row. */
  shownTo(who: RowCaller, all: readonly Table[]): readonly Table[] {
    if (who.as !== 'user') return all;
    const { asking, policies } = who;
    const byId = new Map(all.map((one) => [one.id, one]));
    return all.flatMap((table) => {
      const place = { table, tables: byId, policies };
      const allows = (condition: unknown) => rowsAllowed(condition, asking, place) !== 'nothing';
      if (!allows(table.accessRules.read)) return [];
      const fields = table.fields.filter(({ accessRules: { read = null } }) => read === null || allows(read));
      return [{ ...table, fields }];
    });
  }

  async scopesOf(
    { asking, policies }: Extract<RowCaller, { as: 'user' }>,
    table: Table,
    conditions: readonly unknown[],
  ): Promise<readonly RowScope[]> {
    if (conditions.length === 0) return [];
    const { place, findIds } = await this.at(policies, table);
    const scopes: RowScope[] = [];
    for (const one of conditions) scopes.push(await followed(rowsAllowed(one, asking, place), findIds));
    return scopes;
  }

  private async at(policies: Policies, table: Table, ofBase?: readonly Table[]) {
    const { workspaceId, baseId } = table;
    const all = ofBase ?? (await this.reads.find<Table>(workspaceId, tables.collection.name, { where: { baseId } }));
    const findIds = async (tableId: string, filter: Filter, limit: number) => {
      const found = await this.reads.find<Row>(workspaceId, rows.collection.name, {
        where: { tableId },
        filter,
        limit,
        visitedSite: table.projectId ?? baseId,
      });
      return found.map(({ id }) => id);
    };
    const byId = new Map([...all, table].map((one) => [one.id, one]));
    return { place: { table, tables: byId, policies }, findIds };
  }
}
