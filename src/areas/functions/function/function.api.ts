import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/aggregate-loader.js';
import type { Recorded } from '../../../kernel/event.js';
import { refuse } from '../../../kernel/refusal.js';
import { streamOf } from '../../../kernel/stream-name.js';
import {
  type AccountFunction,
  accountFunctions,
  definitionOf,
  type FunctionDefinition,
  type FunctionEvent,
} from './function.record.js';

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
  ): Promise<FunctionDefinition | undefined> {
    let fn = accountFunctions.initial;
    let found: FunctionDefinition | undefined;
    for await (const event of this.loader.history(streamOf(accountFunctions.category, workspaceId, functionId))) {
      fn = accountFunctions.evolve(fn, event as unknown as Recorded<FunctionEvent>);
      if (fn?.liveVersionId === versionId) found = definitionOf(fn);
    }
    return found;
  }

  /**
   * The function with the code, grants and limits of one of its versions. Powers and secrets belong to no version, so
   * the current ones apply. @throws Refusal version-not-found
   */
  async asOf(fn: AccountFunction, versionId: string): Promise<AccountFunction> {
    if (fn.liveVersionId === versionId) return fn;
    const definition = await this.definition(fn.workspaceId, fn.id, versionId);
    return definition ? { ...fn, ...definition, liveVersionId: versionId } : refuse('version-not-found');
  }
}
