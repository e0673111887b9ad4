import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../../engine/commands/aggregate-loader.js';
import type { FunctionOwnerKind, Owned } from '../../../../kernel/callers/function-owner.js';
import type { Actor, Recorded } from '../../../../kernel/event/event.js';
import { streamOf } from '../../../../kernel/event/stream-name.js';
import { refuse } from '../../functions.refusals.js';
import {
  definitionOf,
  type FunctionDefinition,
  type FunctionDocument,
  type FunctionEvent,
} from '../function.record.js';
import { functionKinds, functionsOf } from '../function-kinds.api.js';

@Injectable()
export class FunctionVersionReader {
  constructor(private readonly loader: AggregateLoader) {}

  /** Returns the definition as it was when the version was last live, or undefined if it was never live. */
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

  async isMadeBy(workspaceId: string, fn: Owned & { readonly id: string }, by: Actor): Promise<boolean> {
    const { category } = functionsOf(fn);
    for await (const { metadata } of this.loader.history(streamOf(category, workspaceId, fn.id))) {
      return metadata.actor.kind === by.kind && metadata.actor.id === by.id;
    }
    return false;
  }

  /** For a deleted function, returns the state before its deletion. */
  async last(workspaceId: string, functionId: string, kind: FunctionOwnerKind): Promise<FunctionDocument | undefined> {
    const functions = functionKinds[kind];
    let fn = functions.initial;
    let last: FunctionDocument | undefined;
    for await (const event of this.loader.history(streamOf(functions.category, workspaceId, functionId))) {
      fn = functions.evolve(fn, event as unknown as Recorded<FunctionEvent>);
      last = fn ?? last;
    }
    return last;
  }

  /**
   * Powers and secrets are not part of a version, so the present ones are used.
   * @throws Refusal version-not-found
   */
  async asOf(fn: FunctionDocument, versionId: string): Promise<FunctionDocument> {
    if (fn.liveVersionId === versionId) return fn;
    const definition = await this.definition(fn.workspaceId, fn.id, versionId, fn);
    return definition ? { ...fn, ...definition, liveVersionId: versionId } : refuse('version-not-found');
  }
}
