import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Recorded } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { type Table, tables } from '../../bases/table/table.record.js';
import { type AccountFunction, type FunctionEvent, siteFunctions } from '../function/function.record.js';
import { bound } from './bound-names.api.js';
import type { DataDefinition } from './data-definition.api.js';

const mostKept = 1_000;

/**
 * Definitions that earlier versions of the service recorded by names alone. They mean what had those names when they
 * went live, so that a name that moved since leads them nowhere else.
 */
@Injectable()
export class EarlierNames {
  private readonly kept = new Map<string, DataDefinition>();

  constructor(
    private readonly loader: AggregateLoader,
    private readonly reads: Reads,
  ) {}

  /** The definition with ids. @throws Refusal table-not-found when the table is gone */
  async bound(fn: AccountFunction, baseId: string): Promise<DataDefinition> {
    const { workspaceId, id, updatedAt, liveVersionId } = fn;
    const definition = fn.definition as unknown as DataDefinition;
    const key = JSON.stringify([workspaceId, id, updatedAt, liveVersionId, baseId]);
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const found = await this.tableOf(workspaceId, baseId, definition.table, await this.wentLiveAt(fn));
    const made = bound(definition, found ?? tables.missing());
    this.kept.set(key, made);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= mostKept) break;
      this.kept.delete(oldest);
    }
    return made;
  }

  /** The position in the log of the event that made the definition live. */
  private async wentLiveAt({ workspaceId, id, definition }: AccountFunction): Promise<number> {
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
