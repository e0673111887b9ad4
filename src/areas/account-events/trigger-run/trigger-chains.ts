import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { EventMetadata } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { Run } from '../../functions/run/run.record.js';
import { type FiringEvent, isTriggerRun, type TriggerRun } from './trigger-run.record.js';

/**
 * The longest path searched between an event and the trigger run that caused it, through functions that call functions
 * and the effects of commands.
 */
const mostSteps = 32;

/**
 * Finds the event that began a chain of triggers, and counts the runs started in the chain so far. A few triggers that
 * fire one another can multiply long before the chain is too deep.
 */
@Injectable()
export class TriggerChains {
  constructor(private readonly reads: Reads) {}

  /** The event that began the chain of this event, which has the given cause. */
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

  /** Number of runs started in the chain; 0 if the records of its beginning have been removed. */
  async started(workspaceId: string, root: string): Promise<number> {
    return (await this.reads.get<FiringEvent>(workspaceId, 'firingEvents', root))?.chain ?? 0;
  }

  private async rootOfRun(workspaceId: string, runId: string): Promise<string | undefined> {
    const run = await this.reads.get<TriggerRun>(workspaceId, 'triggerRuns', runId);
    return run && (await this.reads.get<FiringEvent>(workspaceId, 'firingEvents', run.eventId))?.root;
  }
}
