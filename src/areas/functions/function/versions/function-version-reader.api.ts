import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../../engine/commands/aggregate-loader.js';
import type { FunctionOwnerKind, Owned } from '../../../../kernel/callers/function-owner.js';
import type { Actor, Recorded } from '../../../../kernel/event/event.js';
import { streamOf } from '../../../../kernel/event/stream-name.js';
import { refuse } from '../../functions.refusals.js';
import { type AccountFunction, definitionOf, type FunctionDefinition, type FunctionEvent } from '../function.record.js';
import { functionKinds, functionsOf } from '../function-kinds.api.js';

/**
 * Reads earlier versions from the events, which are the only place that holds them. Needed for rolling back and
 * replaying.
 */
@Injectable()
export class FunctionVersionReader {
  constructor(private readonly loader: AggregateLoader) {}

  /** The version as it last was when live. Undefined when it never was live. */
  async definition(
    workspaceId: string,
    functionId: string,
    versionId: string,
    owned: Owned = {},
  ): Promise<FunctionDefinition | undefined> {
    const functions = functionsOf(owned);
    let fn = functions.initial;
    let found: FunctionDefinition | undefined;
    for await (const event of this.loader.history(streamOf(functions.category, workspaceId, functionId))) {
      fn = functions.evolve(fn, event as unknown as Recorded<FunctionEvent>);
      if (fn?.liveVersionId === versionId) found = definitionOf(fn);
    }
    return found;
  }

  /** Whether this actor created the function, as its first event says. */
  async isMadeBy(workspaceId: string, fn: Owned & { readonly id: string }, by: Actor): Promise<boolean> {
    const { category } = functionsOf(fn);
    for await (const { metadata } of this.loader.history(streamOf(category, workspaceId, fn.id))) {
      return metadata.actor.kind === by.kind && metadata.actor.id === by.id;
    }
    return false;
  }

  /** The function as it was before it was deleted; undefined when there never was one. */
  async last(workspaceId: string, functionId: string, kind: FunctionOwnerKind): Promise<AccountFunction | undefined> {
    const functions = functionKinds[kind];
    let fn = functions.initial;
    let last: AccountFunction | undefined;
    for await (const event of this.loader.history(streamOf(functions.category, workspaceId, functionId))) {
      fn = functions.evolve(fn, event as unknown as Recorded<FunctionEvent>);
      last = fn ?? last;
    }
    return last;
  }

  /**
   * The function with the code, grants and limits of one of its versions. Powers and secrets belong to no version, so
   * the current ones apply. @throws Refusal version-not-found
   */
  async asOf(fn: AccountFunction, versionId: string): Promise<AccountFunction> {
    if (fn.liveVersionId === versionId) return fn;
    const definition = await this.definition(fn.workspaceId, fn.id, versionId, fn);
    return definition ? { ...fn, ...definition, liveVersionId: versionId } : refuse('version-not-found');
  }
}
