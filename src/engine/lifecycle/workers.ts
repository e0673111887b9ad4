import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Environment } from '../../config/environment.js';
import { allSettled } from '../../kernel/all-settled.js';
import { Messages } from '../../ports/messages.port.js';
import { LeaseKeeper } from '../cluster/lease-keeper.js';
import { StoppableStart } from '../cluster/stoppable-start.js';
import { type Stage, type Worker, type WorkerKind, WorkerSource, workerKinds } from '../cluster/worker.js';
import { LogIdentity } from '../messages/log-identity.js';

const kinds = Object.keys(workerKinds) as readonly WorkerKind[];

@Injectable()
export class Workers {
  private found: readonly Worker[] | undefined;
  private readonly ends: (() => Promise<void>)[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly environment: Environment,
    private readonly keeper: LeaseKeeper,
    private readonly messages: Messages,
    private readonly identity: LogIdentity,
  ) {}

  startReads(): Promise<void> {
    return this.startStage('reads');
  }

  async startWork(): Promise<void> {
    if (this.messages.durable) this.messages.belongTo(await this.identity.known());
    for (const stage of ['work', 'seals', 'entrance'] as const) await this.startStage(stage);
  }

  /** Stops the stages `work` and `entrance`. `reads` and `seals` continue until the leases are released. */
  async leave(): Promise<void> {
    await Promise.all(this.ends.splice(0).map((end) => end()));
  }

  private async startStage(stage: Stage): Promise<void> {
    this.found ??= this.collect();
    for (const kind of kinds.filter((one) => workerKinds[one].stage === stage)) {
      await Promise.all(this.found.filter((worker) => worker.kind === kind).map((worker) => this.startOne(worker)));
    }
  }

  private async startOne(worker: Worker): Promise<void> {
    const { isSole, stage } = workerKinds[worker.kind];
    if (stage === 'work' || stage === 'entrance') {
      this.ends.push(() => (isSole ? this.keeper.drop(worker.name) : worker.stop()));
    }
    await (isSole ? this.keeper.add(worker) : worker.start());
  }

  private collect(): readonly Worker[] {
    const { roles } = this.environment;
    const ours = this.discovery
      .getProviders()
      .flatMap(({ instance }) =>
        instance instanceof WorkerSource ? instance.workers((name) => this.keeper.lost(name)) : [],
      )
      .filter(({ kind }) => roles.includes(workerKinds[kind].role));
    if (this.messages.durable) return ours;
    const { tied = [], free = [] } = Object.groupBy(ours, ({ kind }) => (workerKinds[kind].isTied ? 'tied' : 'free'));
    return roles.includes('runner') ? [...free, together(tied)] : free;
  }
}

/**
 * In-memory messages reach only consumers in the same process. The senders and consumers of messages therefore share
 * one lease, so that the same process runs all of them.
 */
function together(workers: readonly Worker[]): Worker {
  const groups = kinds.map((kind) => workers.filter((worker) => worker.kind === kind));
  const starting = new StoppableStart();
  const start = async (stopping: AbortSignal) => {
    for (const group of groups) if (!stopping.aborted) await allSettled(group.map((worker) => worker.start()));
  };
  return {
    kind: 'settling',
    name: 'work',
    start: () => starting.begin(start),
    stop: async () => {
      await starting.stop();
      for (const group of groups.toReversed()) await Promise.all(group.map((worker) => worker.stop()));
    },
  };
}
