import { Injectable } from '@nestjs/common';
import { Reads } from '../../engine/scopes/reads.js';
import type { EventMetadata } from '../../kernel/event/event.js';
import type { Document } from '../../kernel/record/projection.js';

const runCollections = ['runs', 'flowRuns', 'agentRuns'] as const;

/** Limits the search from an event back to the run that caused it. */
const mostSteps = 16;

type AnyRun = Document & { readonly eventDepth: number };
type Audited = Document & Pick<EventMetadata, 'causationId'>;

/** Finds the number of triggers in the chain that led to an event. It is 0 if no run is found. */
@Injectable()
export class CauseDepth {
  constructor(private readonly reads: Reads) {}

  async of(workspaceId: string, causationId: string | null): Promise<number> {
    let cause = causationId;
    for (let step = 0; cause !== null && step < mostSteps; step++) {
      if (!isEventId(cause)) return this.ofRun(workspaceId, cause);
      cause = (await this.reads.get<Audited>(workspaceId, 'audit', cause))?.causationId ?? null;
    }
    return 0;
  }

  private async ofRun(workspaceId: string, runId: string): Promise<number> {
    for (const collection of runCollections) {
      const run = await this.reads.get<AnyRun>(workspaceId, collection, runId);
      if (run !== undefined) return run.eventDepth;
    }
    return 0;
  }
}

/** Ids of recorded events are UUIDs. Ids of runs begin with their kind. */
const isEventId = (id: string): boolean => /^[0-9a-f]{8}-/.test(id);
