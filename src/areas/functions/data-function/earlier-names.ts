import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Recorded } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { type Table, tables } from '../../bases/table/table.record.js';
import { type FunctionDocument, type FunctionEvent, siteFunctions } from '../function/function.record.js';
import { boundDefinition } from './bound-names.api.js';
import type { DataDefinition } from './data-definition.api.js';

const mostCached = 1_000;

/**
 * Earlier versions of the service recorded definitions by name only. Such a definition is bound to the table and fields
 * that had these names when it went live, so later renames do not redirect it.
 */
@Injectable()
export class EarlierNames {
  private readonly cache = new Map<string, DataDefinition>();

  constructor(
    private readonly loader: AggregateLoader,
    private readonly reads: Reads,
  ) {}

  /** @throws Refusal table-not-found if the table was deleted */
  async bound(fn: FunctionDocument, baseId: string): Promise<DataDefinition> {
    const { workspaceId, id, updatedAt, liveVersionId } = fn;
    const definition = fn.definition as unknown as DataDefinition;
    const key = JSON.stringify([workspaceId, id, updatedAt, liveVersionId, baseId]);
    const known = this.cache.get(key);
    if (known !== undefined) return known;
    const found = await this.tableOf(workspaceId, baseId, definition.table, await this.wentLiveAt(fn));
    const made = boundDefinition(definition, found ?? tables.missing());
    this.cache.set(key, made);
    for (const oldest of this.cache.keys()) {
      if (this.cache.size <= mostCached) break;
      this.cache.delete(oldest);
    }
    return made;
  }

  /** Returns a log position, or -1 if no event made the definition live. */
  private async wentLiveAt({ workspaceId, id, definition }: FunctionDocument): Promise<number> {
    let fn = siteFunctions.initial;
    let position = -1;
    let wasLive = false;
    for await (const event of this.loader.history(streamOf(siteFunctions.category, workspaceId, id))) {
      fn = siteFunctions.evolve(fn, event as unknown as Recorded<FunctionEvent>);
      const isLive = fn !== undefined && isDeepStrictEqual(fn.definition, definition);
      if (isLive && !wasLive) position = event.position;
      wasLive = isLive;
    }
    return position;
  }

  private async tableOf(
    workspaceId: string,
    baseId: string,
    nameOrId: string,
    position: number,
  ): Promise<Table | undefined> {
    const there = await this.reads.find<Table>(workspaceId, tables.collection.name, { where: { baseId } });
    const then: Table[] = [];
    const ids = there.map(({ id }) => id);
    for await (const table of this.loader.at(tables, workspaceId, ids, position)) then.push(table);
    return then.find(({ id }) => id === nameOrId) ?? then.find(({ name }) => name === nameOrId);
  }
}
