import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../engine/health/metrics.js';
import { Clock } from '../../../ports/clock.port.js';
import { Leases } from '../../../ports/leases.port.js';
import { Messages } from '../../../ports/messages.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { startsAgainAfterLoss } from './run.js';
import type { Run } from './run.record.js';
import { RunJournal } from './run-journal.js';
import { attemptAtHand, ended, runEndEvents, runOriginOf } from './run-record.js';
import { runJob } from './run-requests.api.js';

const lost = 'The service stopped while this run was going.';

/** Runs are ended concurrently in groups of at most this size, so that the log can commit their events together. */
const mostAtOnce = 500;

@Injectable()
export class OpenRuns {
  constructor(
    private readonly store: ReadStore,
    private readonly journal: RunJournal,
    private readonly messages: Messages,
    private readonly leases: Leases,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    metrics.gauge(
      'countersign_run_queue_age_seconds',
      'Age of the oldest accepted run that waits.',
      [],
      async (gauge) => {
        gauge.set(await this.oldestWaiting());
      },
    );
  }

  /** Declares processes dead that have been silent for too long, and ends the runs of all dead processes. */
  async settle(): Promise<void> {
    for (const { name, silent } of await this.leases.processes()) if (silent) await this.leases.giveUp(name);
    // Open runs must be read before live processes. In the other order, a run of a process that has just started would
    // seem to belong to a dead one.
    const open = await this.begun();
    const alive = new Set((await this.leases.processes()).map(({ name }) => name));
    const dead = open.filter(({ process }) => process === null || !alive.has(process));
    for (let from = 0; from < dead.length; from += mostAtOnce) await this.endAll(dead.slice(from, from + mostAtOnce));
  }

  private async oldestWaiting(): Promise<number> {
    const where = { status: 'queued', accepted: true };
    const [oldest] = await this.store.find<Run>('runs', { where, sort: [['createdAt', 'asc']], limit: 1 });
    return oldest === undefined ? 0 : (this.clock.now() - Date.parse(oldest.createdAt)) / 1_000;
  }

  private async begun(): Promise<readonly Run[]> {
    const [running, waiting] = await Promise.all([
      this.store.find<Run>('runs', { where: { status: 'running' } }),
      this.store.find<Run>('runs', { where: { status: 'queued', accepted: false } }),
    ]);
    return [...running, ...waiting];
  }

  private async endAll(runs: readonly Run[]): Promise<void> {
    const writes = runs.map((run) => this.end(run));
    await Promise.allSettled(writes);
    // Published one after the other, so that runs of one function stay in order.
    for (const [at, run] of runs.entries()) {
      await writes[at];
      if (isRunAgain(run)) await this.messages.publish(runJob.topic, runJob.message(run));
    }
  }

  private async end(run: Run): Promise<void> {
    const retryAt = isRunAgain(run) ? new Date(this.clock.now()).toISOString() : null;
    await this.journal.write(runOriginOf(run), runEndEvents(ended(run.id, attemptAtHand(run), lost, retryAt), run));
  }
}

const isRunAgain = ({ accepted, attempts }: Run) => accepted && startsAgainAfterLoss(attempts.length);
