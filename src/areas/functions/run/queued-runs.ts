import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../engine/health/metrics.js';
import { LogHead } from '../../../engine/messages/log-head.js';
import { QueuedAgain } from '../../../engine/messages/queued-again.js';
import { Watermark } from '../../../engine/read-models/watermark.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { Clock } from '../../../ports/clock.port.js';
import { type Message, Messages } from '../../../ports/messages.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { type Run, runCategory } from './run.record.js';
import { type RunMessage, runMessage, runRequests } from './run-requests.api.js';

const page = 200;

/** Finds accepted runs that wait, where their messages are not at hand. */
@Injectable()
export class QueuedRuns {
  private readonly lost: QueuedAgain<Run, 'createdAt'>;

  constructor(
    private readonly store: ReadStore,
    private readonly watermark: Watermark,
    private readonly messages: Messages,
    private readonly head: LogHead,
    clock: Clock,
    metrics: Metrics,
  ) {
    this.lost = new QueuedAgain<Run, 'createdAt'>(store, messages, clock, metrics, {
      topic: runRequests,
      collection: 'runs',
      where: { status: 'queued', accepted: true },
      since: 'createdAt',
      message: messageOf,
      tellsSince: ({ retryAt }) => retryAt,
    });
  }

  /** Publishes again what has waited for long: its message may be lost. */
  settle(): Promise<void> {
    return this.lost.look();
  }

  /** Publishes messages again that were lost with their process. */
  async publishAll(): Promise<void> {
    const queued = await this.store.find<Run>('runs', { where: { status: 'queued', accepted: true } });
    for (const run of queued) await this.messages.publish(runRequests, messageOf(run));
  }

  /**
   * The runs of a key that are not over, oldest first: those that were begun, too, so that none of them is overtaken.
   * @throws Error when the read model does not include the known ones yet
   */
  async next(key: string, known: readonly Message[], limit: number): Promise<readonly Message[]> {
    const values = known.map(({ value }) => value as RunMessage);
    const [{ workspaceId, functionId } = { workspaceId: '', functionId: '' }] = values;
    const stream = streamOf(runCategory, workspaceId, functionId);
    const last = await this.head.lastOf(
      values.map(({ position }) => position),
      'runs',
    );
    this.watermark.appended(last, [{ stream, type: 'RunAccepted' }]);
    const where = { workspaceId, functionId, accepted: true };
    const [begun, queued] = await Promise.all([
      this.store.find<Run>('runs', { where: { ...where, status: 'running' } }),
      this.queued(key, where, limit),
    ]);
    if (!this.watermark.isCurrent('runs')) throw new Error('The read models do not show all accepted runs yet.');
    const those = [...begun.filter((run) => messageOf(run).key === key), ...queued];
    return those
      .sort((one, other) => one.position - other.position)
      .slice(0, limit)
      .map(messageOf);
  }

  /** A function has further keys where triggers start it. */
  private async queued(key: string, where: object, limit: number): Promise<readonly Run[]> {
    const ours: Run[] = [];
    for (let after: readonly (string | number)[] | undefined; ours.length < limit; ) {
      const some: readonly Run[] = await this.store.find<Run>('runs', {
        where: { ...where, status: 'queued' },
        sort: [['position', 'asc']],
        limit: page,
        ...(after && { after }),
      });
      ours.push(...some.filter((run) => messageOf(run).key === key));
      const last = some.at(-1);
      if (last === undefined || some.length < page) break;
      after = [last.position, last.id];
    }
    return ours.slice(0, limit);
  }
}

const messageOf = (run: Run): Message => runMessage({ ...run, runId: run.id });
