import { Injectable } from '@nestjs/common';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Causes } from './causes.api.js';
import { type FiringEvent, isTriggerRun, type TriggerRun } from './trigger-run.record.js';

/**
 * Limits the search from an event back to the trigger run that led to it. Calls between functions and the events of
 * commands are steps on this path.
 */
const mostSteps = 32;

const readModel = 'triggerRuns';

export interface EventInChain {
  readonly workspaceId: string;
  readonly id: string;
  readonly position: number;
}

/**
 * Finds the event that began a chain and the number of runs in the chain. That number is limited, because a few
 * triggers that fire one another can multiply long before the chain reaches its maximum depth.
 */
@Injectable()
export class TriggerChains {
  constructor(
    private readonly reads: Reads,
    private readonly causes: Causes,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  /**
   * Returns the event's own id if it began the chain itself, or if the beginning is not found.
   * @param cause id of the event or run that caused this event
   * @throws Error if the read models do not include a cause yet
   */
  async rootOf({ workspaceId, id, position }: EventInChain, depth: number, cause: string | null): Promise<string> {
    let at = depth === 0 ? null : cause;
    for (let step = 0; at !== null && step < mostSteps; step++) {
      if (isTriggerRun(at)) return (await this.rootOfRun(workspaceId, at, position)) ?? id;
      at = (await this.causes.of(workspaceId, at, position))?.causationId ?? null;
    }
    return id;
  }

  /**
   * Returns 0 if retention has removed the first event of the chain.
   * @param position log position of the latest firing that must be counted
   * @throws Error if the read model does not include it yet
   */
  async started(workspaceId: string, root: string, position: number): Promise<number> {
    this.readYourWrites.observed(position, [readModel]);
    const first = await this.reads.get<FiringEvent>(workspaceId, 'firingEvents', root);
    if (this.readYourWrites.taken(readModel) < position) {
      throw new Error(`The read models do not include all runs of the chain that ${root} began yet.`);
    }
    return first?.chain ?? 0;
  }

  private async rootOfRun(workspaceId: string, runId: string, position: number): Promise<string | undefined> {
    const run = await this.causes.find<TriggerRun>(workspaceId, [readModel], runId, position);
    return run && (await this.reads.get<FiringEvent>(workspaceId, 'firingEvents', run.eventId))?.root;
  }
}
