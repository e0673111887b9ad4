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

/** Reads earlier versions from the events, because read models do not contain them. Rollbacks and replays use them. */
@Injectable()
export class FunctionVersionReader {
  constructor(private readonly loader: AggregateLoader) {}

  /** Returns the version's definition as it was when the version was last live, or undefined if it was never live. */
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

  /** Whether this actor recorded the function's first event. */
  async isMadeBy(workspaceId: string, fn: Owned & { readonly id: string }, by: Actor): Promise<boolean> {
    const { category } = functionsOf(fn);
    for await (const { metadata } of this.loader.history(streamOf(category, workspaceId, fn.id))) {
      return metadata.actor.kind === by.kind && metadata.actor.id === by.id;
    }
    return false;
  }

  /**
   * Returns the function's last state, which for a deleted function is the state before its deletion. Returns undefined
   * if it never existed.
   */
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
   * Returns the function with the code, grants and limits of one of its versions. Powers and secrets are not part of a
   * version, so the function keeps those that it has now.
   * @throws Refusal version-not-found
   */
  async asOf(fn: FunctionDocument, versionId: string): Promise<FunctionDocument> {
    if (fn.liveVersionId === versionId) return fn;
    const definition = await this.definition(fn.workspaceId, fn.id, versionId, fn);
    return definition ? { ...fn, ...definition, liveVersionId: versionId } : refuse('version-not-found');
  }
}
