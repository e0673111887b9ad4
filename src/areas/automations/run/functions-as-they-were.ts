import { Injectable } from '@nestjs/common';
import type { Recorded } from '../../../kernel/event.js';
import { refuse } from '../../../kernel/refusal.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { EventStore } from '../../../ports/event-store.port.js';
import {
  type AccountFunction,
  accountFunctions,
  definitionIn,
  type FunctionEvent,
} from '../function/function.events.js';

/** Functions with the code, grants and limits of a version that is no longer live, for a run that is repeated on it. */
@Injectable()
export class FunctionsAsTheyWere {
  constructor(private readonly store: EventStore) {}

  /** Powers and secrets are of no version: they are those of now. @throws Refusal version-not-found */
  async asOf(fn: AccountFunction, versionId: string): Promise<AccountFunction> {
    if (fn.liveVersionId === versionId) return fn;
    const events = await this.store.readStream(streamOf(accountFunctions.category, fn.workspaceId, fn.id));
    const definition = definitionIn(events as unknown as readonly Recorded<FunctionEvent>[], versionId);
    return definition ? { ...fn, ...definition, liveVersionId: versionId } : refuse('version-not-found');
  }
}
