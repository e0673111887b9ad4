import { Injectable, type Provider, type Type } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import { declareRead } from '../../kernel/record/understanding.js';
import { Messages } from '../../ports/messages.port.js';
import { type Worker, WorkerSource } from '../cluster/worker.js';
import type { Saga } from '../sagas/saga.js';
import { type Accepted, type Job, JobParts, type Queue } from './job.js';
import { JobConsumer } from './job-consumer.js';

interface RegisteredJob {
  readonly job: Pick<Job<never>, 'topic' | 'accepted' | 'isShared'>;
  readonly messages: Messages;
  readonly queue: Queue;
  readonly consumer: JobConsumer;
}

@Injectable()
export class Jobs extends WorkerSource {
  private readonly all: RegisteredJob[] = [];

  constructor(
    private readonly parts: JobParts,
    private readonly environment: Environment,
  ) {
    super();
  }

  add<Work, Event extends DomainEvent>(job: Job<Work, Event>, work: Work): void {
    const { messages: ofAll } = this.parts;
    const messages = (job.isShared && ofAll.here) || ofAll;
    const parts = { ...this.parts, messages };
    const queue = job.queue(parts, work);
    declareRead(job.accepted.reads);
    const { topic, concurrency: most } = job;
    const concurrency = typeof most === 'number' ? most : most(this.environment);
    const consumer = new JobConsumer(parts, queue, topic, concurrency);
    this.all.push({ job, messages, queue, consumer });
  }

  override workers(): readonly Worker[] {
    return this.all.flatMap(({ job: { topic, isShared }, queue: { settling }, consumer }) => [
      ...(settling === undefined ? [] : [{ ...settling, kind: 'settling' as const }]),
      {
        kind: isShared ? 'sharer' : 'consumer',
        name: topic,
        start: () => consumer.start(),
        stop: () => consumer.stop(),
      },
    ]);
  }

  get sagas(): readonly Saga[] {
    return [...Map.groupBy(this.all, ({ job }) => job.accepted.saga)].map(([name, some]) => this.sagaOf(name, some));
  }

  /** Hands over due work now, instead of at the next interval. */
  async recover(topic: string): Promise<void> {
    for (const { job, queue } of this.all) if (job.topic === topic) await queue.recover?.();
  }

  private sagaOf(name: string, some: readonly RegisteredJob[]): Saga {
    return {
      name,
      reads: [...new Set(some.flatMap(({ job }) => job.accepted.reads))],
      react: async ({ stream, type, data, revision, position }) => {
        const { category, workspaceId, id: streamId } = parseStream(stream);
        const known = some.find(({ job }) => job.accepted.category === category);
        if (known === undefined) throw new Error(`No job accepts ${type} of ${category}.`);
        const event: Accepted<DomainEvent> = { type, data, workspaceId, streamId, revision, position };
        const message = known.job.accepted.message(event);
        // A process publishes messages of a shared job only to itself. Without the role `runner` it does none of the
        // work, so it publishes nothing, and the processes with that role find the work in the read model.
        const isFor = !known.job.isShared || this.environment.roles.includes('runner');
        if (message !== undefined && isFor) await known.messages.publish(known.job.topic, message);
      },
    };
  }
}

export const job = <Work, Event extends DomainEvent>(declared: Job<Work, Event>, work: Type<Work>): Provider => ({
  provide: Symbol(`Job ${declared.topic}`),
  inject: [Jobs, work],
  useFactory: (jobs: Jobs, made: Work) => jobs.add(declared, made),
});
