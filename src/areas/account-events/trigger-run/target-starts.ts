import { Injectable, Logger } from '@nestjs/common';
import { type TargetStart, Targets } from '../../../engine/scopes/targets.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { TriggerSkipReason } from './trigger-run.record.js';

/** `reason` explains why the run was skipped; `null` means that the run failed with an error. */
export interface NotStarted {
  readonly start: TargetStart;
  readonly reason: TriggerSkipReason | null;
}

const mostConcurrent = 500;
/**
 * After the last attempt, the run is recorded as failed. The saga that fires triggers must not give up an event after
 * fewer attempts, because then no failed run would be recorded.
 */
const mostAttempts = 3;

/** One failed start does not prevent the others. */
@Injectable()
export class FiredStarts {
  private readonly log = new Logger('Triggers');
  private readonly tries = new Map<string, number>();

  constructor(private readonly targets: Targets) {}

  /**
   * Resolves to the starts that are given up, once all others are durable. Idempotent per run id.
   * @throws the target's error, if another attempt could succeed
   */
  async start(starts: readonly TargetStart[]): Promise<readonly NotStarted[]> {
    const not: NotStarted[] = [];
    for (let from = 0; from < starts.length; from += mostConcurrent) {
      const some = starts.slice(from, from + mostConcurrent);
      const together = await this.targets.start(some).then(
        () => true,
        () => false,
      );
      if (!together) not.push(...(await this.oneByOne(some)));
    }
    return not;
  }

  private async oneByOne(starts: readonly TargetStart[]): Promise<readonly NotStarted[]> {
    const results = await Promise.allSettled(starts.map((start) => this.one(start)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  }

  private async one(start: TargetStart): Promise<readonly NotStarted[]> {
    try {
      await this.targets.start([start]);
      this.tries.delete(start.runId);
      return [];
    } catch (error) {
      if (!(error instanceof Refusal)) return this.afterFault(start, error);
      if (error.kind === 'unavailable') throw error;
      if (error.kind === 'not-found') return [{ start, reason: 'target-missing' }];
      return [{ start, reason: error.code === 'target-kind-unavailable' ? 'switched-off' : null }];
    }
  }

  private afterFault(start: TargetStart, error: unknown): readonly NotStarted[] {
    const tries = (this.tries.get(start.runId) ?? 0) + 1;
    this.tries.set(start.runId, tries);
    if (tries < mostAttempts) throw error;
    this.tries.delete(start.runId);
    this.log.error(`Run ${start.runId} could not be started and is abandoned: ${reasonOf(error)}`);
    return [{ start, reason: null }];
  }
}
