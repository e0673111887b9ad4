import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../../projections/audit/audit.projection.js';
import { Reads } from '../../engine/reads.js';
import type { Document } from '../../kernel/projection.js';

/** Where runs are kept, of whatever can be started: each says how many triggers led to it. */
const runCollections = ['runs', 'flowRuns', 'agentRuns'] as const;

/** Further from a run than that, nothing of ours is. */
const mostSteps = 16;

type AnyRun = Document & { readonly eventDepth: number };

/** How many triggers led to one another before something happened: as many as before the run that brought it about. */
@Injectable()
export class CauseDepth {
  constructor(private readonly reads: Reads) {}

  /** @param causationId the id of the run or of the recorded event that led to it */
  async of(workspaceId: string, causationId: string | null): Promise<number> {
    let cause = causationId;
    for (let step = 0; cause !== null && step < mostSteps; step++) {
      if (!isEventId(cause)) return this.ofRun(workspaceId, cause);
      cause = (await this.reads.get<AuditEntry>(workspaceId, 'audit', cause))?.causationId ?? null;
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

/** Recorded events are known by UUIDs; runs by ids with their kind in front. */
const isEventId = (id: string): boolean => /^[0-9a-f]{8}-/.test(id);
