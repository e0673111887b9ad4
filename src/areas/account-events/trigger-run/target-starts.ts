import { Injectable, Logger } from '@nestjs/common';
import { type TargetStart, Targets } from '../../../engine/scopes/targets.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { TriggerSkipReason } from './trigger-run.record.js';

/** A failed start, with a reason to skip it, or null for an error. */
export interface NotStarted {
  readonly start: TargetStart;
  readonly reason: TriggerSkipReason | null;
}

/** Starts made at once. Their inputs stay in memory until they are durable. */
const mostConcurrent = 500;
/**
 * Attempts of a start that fails with unexpected errors. The saga must not make fewer before it parks an event, so that
 * one target's fault ends as a failed run and does not delay other targets.
 */
const mostAttempts = 3;

/** Starts the targets of triggers. A failed start does not stop the others. */
@Injectable()
export class FiredStarts {
  private readonly log = new Logger('Triggers');
  private readonly tries = new Map<string, number>();

  constructor(private readonly targets: Targets) {}

  /**
   * Resolves when the starts are durable. Idempotent by the ids of the starts.
   * @throws a target handler's error if a retry may help
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

  /** Tries every start before it throws. */
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
    this.log.error(`Run ${start.runId} could not be started and is given up: ${reasonOf(error)}`);
    return [{ start, reason: null }];
  }
}
