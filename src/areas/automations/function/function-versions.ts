import { Injectable } from '@nestjs/common';
import type { Recorded } from '../../../kernel/event.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { accountFunctions, definitionIn, type FunctionDefinition, type FunctionEvent } from './function.events.js';

/** What a version was made of stands in the events; only going back to one asks for it. */
@Injectable()
export class FunctionVersions {
  constructor(private readonly store: EventStore) {}

  /** As it was when it was last live. */
  async definition(
    workspaceId: string,
    functionId: string,
    versionId: string,
  ): Promise<FunctionDefinition | undefined> {
    const events = await this.store.readStream(streamOf(accountFunctions.category, workspaceId, functionId));
    return definitionIn(events as unknown as readonly Recorded<FunctionEvent>[], versionId);
  }
}
