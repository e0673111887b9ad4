import type { Consumption, Messages } from '../../ports/messages.port.js';
import type { Outages } from '../outages.js';
import type { Job, Queue } from './job.js';

/** How long a stop waits for what is in hand. */
const graceMs = 10_000;

/** Consumes the messages of a job, each until it is done. While a store is away, it waits for that. */
export class JobConsumer {
  private consumption: Consumption | undefined;
  private stopping = new AbortController();

  constructor(
    private readonly job: Pick<Job<never>, 'topic' | 'concurrency'>,
    private readonly queue: Queue,
    private readonly messages: Messages,
    private readonly outages: Outages,
  ) {}

  async start(): Promise<void> {
    this.stopping = new AbortController();
    const { signal } = this.stopping;
    const { job, queue, outages } = this;
    await queue.begin?.(signal);
    const { next = undefined } = queue.next === undefined ? {} : { next: queue.next.bind(queue) };
    this.consumption = await this.messages.consume({
      topic: job.topic,
      concurrency: queue.concurrency ?? job.concurrency,
      handle: (message) => outages.lasting(() => queue.handle(message, signal), signal),
      ...(next && { queued: (key, known, limit) => outages.lasting(() => next(key, known, limit), signal) }),
    });
  }

  /** What is left undone comes again, here or in another process. */
  async stop(): Promise<void> {
    await this.queue.end?.();
    this.stopping.abort();
    await this.consumption?.stop(graceMs);
    this.consumption = undefined;
  }
}
