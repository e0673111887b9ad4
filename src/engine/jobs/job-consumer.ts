import type { Consumption, Messages } from '../../ports/messages.port.js';
import type { Outages } from '../cluster/outages.js';
import type { Queue } from './job.js';

/** How long a stop waits for what is in hand. */
const graceMs = 10_000;

/** Consumes the messages of a job, each until it is done. While a store is away, it waits for that. */
export class JobConsumer {
  private consumption: Consumption | undefined;
  private stopping = new AbortController();

  constructor(
    private readonly parts: {
      readonly topic: string;
      readonly concurrency: number;
      readonly queue: Queue;
      readonly messages: Messages;
      readonly outages: Outages;
    },
  ) {}

  async start(): Promise<void> {
    this.stopping = new AbortController();
    const { signal } = this.stopping;
    const { topic, concurrency, queue, messages, outages } = this.parts;
    await queue.begin?.(signal);
    const next = queue.next?.bind(queue);
    this.consumption = await messages.consume({
      topic,
      concurrency,
      handle: (message) => outages.lasting(() => queue.handle(message, signal), signal),
      ...(next && { queued: (key, known, limit) => outages.lasting(() => next(key, known, limit), signal) }),
    });
  }

  /** What is left undone comes again, here or in another process. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const ended = this.parts.queue.end?.();
    await this.consumption?.stop(graceMs);
    this.consumption = undefined;
    await ended;
  }
}
