import { Injectable } from '@nestjs/common';
import { Causes } from './trigger-run/causes.api.js';

/** Limits the search from an event back to the run that caused it. */
const mostSteps = 16;

/** Finds the number of triggers in the chain that led to an event. It is 0 if no run is found. */
@Injectable()
export class CauseDepth {
  constructor(private readonly causes: Causes) {}

  /**
   * @param position log position of an event that was recorded after the cause
   * @throws Error if the read models do not include the cause yet
   */
  async of(workspaceId: string, causationId: string | null, position: number): Promise<number> {
    let cause = causationId;
    for (let step = 0; cause !== null && step < mostSteps; step++) {
      const found = await this.causes.of(workspaceId, cause, position);
      if (found?.eventDepth !== undefined) return found.eventDepth;
      cause = found?.causationId ?? null;
    }
    return 0;
  }
}
