import { Injectable } from '@nestjs/common';
import type { FiringEvent, TriggerRun } from '../../../../projections/account-events/trigger-run.projection.js';
import type { AuditEntry } from '../../../../projections/audit/audit.projection.js';
import type { Run } from '../../../../projections/functions/run.projection.js';
import { Reads } from '../../../engine/reads.js';
import { isTriggerRun } from './trigger-run.record.js';

/** Between an event and the trigger run it comes from: functions that call functions, and what follows from commands. */
const mostSteps = 32;

/**
 * Which event began a chain of triggers, and how many runs were started in it so far: a few triggers that answer one
 * another can multiply long before the chain is too deep.
 */
@Injectable()
export class TriggerChains {
  constructor(private readonly reads: Reads) {}

  /** The event that began the chain in which this one has the given cause. */
  async rootOf(workspaceId: string, eventId: string, depth: number, cause: string | null): Promise<string> {
    let at = depth === 0 ? null : cause;
    for (let step = 0; at !== null && step < mostSteps; step++) {
      if (isTriggerRun(at)) return (await this.rootOfRun(workspaceId, at)) ?? eventId;
      const run = await this.reads.get<Run>(workspaceId, 'runs', at);
      const before = run ?? (await this.reads.get<AuditEntry>(workspaceId, 'audit', at));
      at = before?.causationId ?? null;
    }
    return eventId;
  }

  /** Runs that were started in the chain; of one whose beginning is no longer kept, none. */
  async started(workspaceId: string, root: string): Promise<number> {
    return (await this.reads.get<FiringEvent>(workspaceId, 'firingEvents', root))?.chain ?? 0;
  }

  private async rootOfRun(workspaceId: string, runId: string): Promise<string | undefined> {
    const run = await this.reads.get<TriggerRun>(workspaceId, 'triggerRuns', runId);
    return run && (await this.reads.get<FiringEvent>(workspaceId, 'firingEvents', run.eventId))?.root;
  }
}
