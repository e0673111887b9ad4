import { Injectable, Logger } from '@nestjs/common';
import { type TargetStart, Targets } from '../../../engine/targets.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Refusal } from '../../../kernel/refusal.js';
import type { SkipReason } from './trigger-run.record.js';

/** What could not be started, and why: a reason to skip it, or null when it failed. */
export interface NotStarted {
  readonly start: TargetStart;
  readonly reason: SkipReason | null;
}

/** So many at once: what they are given lies in memory until they are durable. */
const atOnce = 500;
/** A start that ends in a fault is tried again this often before it is given up. */
const mostTries = 5;

/** Starts the targets of triggers: one that cannot be started stops no other. */
@Injectable()
export class TargetStarts {
  private readonly log = new Logger('Triggers');
  private readonly tries = new Map<string, number>();

  constructor(private readonly targets: Targets) {}

  /**
   * Durable when it resolves. Started again under the same ids, they are not started twice.
   * @throws what a lane threw that may do better when it is asked again
   */
  async start(starts: readonly TargetStart[]): Promise<readonly NotStarted[]> {
    const not: NotStarted[] = [];
    for (let from = 0; from < starts.length; from += atOnce) {
      const some = starts.slice(from, from + atOnce);
      const together = await this.targets.start(some).then(
        () => true,
        () => false,
      );
      if (!together) not.push(...(await this.oneByOne(some)));
    }
    return not;
  }

  /** All of them are tried before anything is given up for now. */
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
    if (tries < mostTries) throw error;
    this.tries.delete(start.runId);
    this.log.error(`Run ${start.runId} could not be started and is given up: ${reasonOf(error)}`);
    return [{ start, reason: null }];
  }
}
