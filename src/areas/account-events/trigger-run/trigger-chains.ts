import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { EventMetadata } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { Run } from '../../functions/run/run.record.js';
import { type FiringEvent, isTriggerRun, type TriggerRun } from './trigger-run.record.js';

/**
 * Limits the search from an event back to the trigger run that led to it. Calls between functions and the events of
 * commands are steps on this path.
 */
const mostSteps = 32;

/**
 * Finds the event that began a chain and the number of runs in the chain. That number is limited, because a few
 * triggers that fire one another can multiply long before the chain reaches its maximum depth.
 */
@Injectable()
export class TriggerChains {
  constructor(private readonly reads: Reads) {}

  /**
   * Returns the event's own id if it began the chain itself, or if the beginning is not found.
   * @param cause id of the event or run that caused this event
   */
  async rootOf(workspaceId: string, eventId: string, depth: number, cause: string | null): Promise<string> {
    let at = depth === 0 ? null : cause;
    for (let step = 0; at !== null && step < mostSteps; step++) {
      if (isTriggerRun(at)) return (await this.rootOfRun(workspaceId, at)) ?? eventId;
      const run = await this.reads.get<Run>(workspaceId, 'runs', at);
      const before =
        run ?? (await this.reads.get<Document & Pick<EventMetadata, 'causationId'>>(workspaceId, 'audit', at));
      at = before?.causationId ?? null;
    }
    return eventId;
  }

  /** Returns 0 if retention has removed the first event of the chain. */
  async started(workspaceId: string, root: string): Promise<number> {
    return (await this.reads.get<FiringEvent>(workspaceId, 'firingEvents', root))?.chain ?? 0;
  }

  private async rootOfRun(workspaceId: string, runId: string): Promise<string | undefined> {
    const run = await this.reads.get<TriggerRun>(workspaceId, 'triggerRuns', runId);
    return run && (await this.reads.get<FiringEvent>(workspaceId, 'firingEvents', run.eventId))?.root;
  }
}
