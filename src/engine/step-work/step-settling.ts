import { Injectable, Logger } from '@nestjs/common';
import { reasonOf } from '../../kernel/reason.js';
import { Clock } from '../../ports/clock.port.js';
import { Leases } from '../../ports/leases.port.js';
import { Messages } from '../../ports/messages.port.js';
import { type Query, ReadStore } from '../../ports/read-store.port.js';
import type { Duty } from '../cluster/lease-keeper.js';
import { type Worker, WorkerSource } from '../cluster/worker.js';
import { Metrics } from '../health/metrics.js';
import { Redelivery } from '../messages/redelivery.js';
import type { AnyStepKind } from './step-kind.js';
import { StepKinds } from './step-kinds.js';
import { stepMessage } from './step-messages.js';
import type { StepRun } from './step-run.record.js';

const atOnce = 500;
const resendAfterMs = 60_000;

/**
 * Publishes messages for runs that would not continue otherwise: those whose waiting time is over, those whose process
 * died, and those whose message was lost.
 */
@Injectable()
export class StepSettling extends WorkerSource {
  private readonly log = new Logger('Steps');
  private readonly sentAt = new Map<string, number>();
  private readonly queued = new Map<string, Redelivery<StepRun, 'createdAt'>>();

  constructor(
    private readonly kinds: StepKinds,
    private readonly store: ReadStore,
    private readonly messages: Messages,
    private readonly leases: Leases,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {
    super();
  }

  override workers(): readonly Worker[] {
    return [{ ...this.duty(), kind: 'settling' }];
  }

  private duty(): Duty {
    let callOff = () => {};
    let stopped = false;
    const { beatEveryMs, settleEveryMs } = this.leases;
    // Waiting runs are checked at every heartbeat. The runs of dead processes are looked for less often.
    const looksPerRecovery = settleEveryMs / beatEveryMs;
    let looks = 0;
    const next = () => {
      if (stopped) return;
      callOff = this.clock.after(beatEveryMs, () => {
        const recovers = looks++ % looksPerRecovery === 0;
        this.look(recovers)
          .catch((error: unknown) => this.log.warn(`Waiting runs could not be checked: ${reasonOf(error)}`))
          .finally(next);
      });
    };
    return {
      name: 'step-runs',
      start: async () => {
        stopped = false;
        await this.look(true, false);
        next();
      },
      stop: async () => {
        stopped = true;
        callOff();
      },
    };
  }

  private async look(recovers: boolean, publishes = recovers): Promise<void> {
    const now = this.clock.now();
    for (const [key, at] of this.sentAt) if (now - at > resendAfterMs) this.sentAt.delete(key);
    if (recovers) await this.giveUpSilent();
    for (const kind of this.kinds.all) {
      await this.wake(kind);
      if (recovers) await this.handOverLost(kind);
      if (!recovers) continue;
      // In-memory messages are lost with their process, so messages for all queued runs are published again.
      if (!this.messages.durable)
        await this.sendAll(kind, await this.runsWhere(kind, { status: 'queued' }, 'position'));
      else if (publishes) await this.queuedOf(kind).look();
    }
  }

  private async giveUpSilent(): Promise<void> {
    for (const { name, silent } of await this.leases.processes()) if (silent) await this.leases.giveUp(name);
  }

  private async wake(kind: AnyStepKind): Promise<void> {
    const due = { status: 'waiting', wakeAt: { lte: new Date(this.clock.now()).toISOString() } };
    await this.sendAll(kind, await this.runsWhere(kind, due, 'wakeAt'));
  }

  /**
   * The running runs must be read before the list of live processes; otherwise the run of a process that has just
   * started would seem lost.
   */
  private async handOverLost(kind: AnyStepKind): Promise<void> {
    const running = await this.store.find<StepRun>(kind.collection, { where: { status: 'running' } });
    const alive = new Set((await this.leases.processes()).map(({ name }) => name));
    const lost = running.filter(({ process }) => process === null || !alive.has(process));
    await this.sendAll(kind, lost);
  }

  private runsWhere(kind: AnyStepKind, where: Query['where'], first: string): Promise<readonly StepRun[]> {
    const sort = [[first, 'asc']] as const;
    return this.store.find<StepRun>(kind.collection, { where, sort, limit: atOnce });
  }

  private queuedOf({ category, collection, topic }: AnyStepKind): Redelivery<StepRun, 'createdAt'> {
    const known = this.queued.get(category);
    if (known !== undefined) return known;
    const made = new Redelivery<StepRun, 'createdAt'>(this.store, this.messages, this.clock, this.metrics, {
      topic,
      collection,
      where: { status: 'queued' },
      since: 'createdAt',
      message: ({ workspaceId, id, revision }) => stepMessage(workspaceId, id, revision),
    });
    this.queued.set(category, made);
    return made;
  }

  private async sendAll({ topic }: AnyStepKind, runs: readonly StepRun[]): Promise<void> {
    for (const { workspaceId, id, revision } of runs) {
      const key = `${id}/${revision}`;
      if (this.sentAt.has(key)) continue;
      await this.messages.publish(topic, stepMessage(workspaceId, id, revision));
      this.sentAt.set(key, this.clock.now());
    }
  }
}
