import type { Consumption } from '../../ports/messages.port.js';
import type { JobParts, Queue } from './job.js';

const graceMs = 10_000;

/** While a store is unavailable, a message waits and is then tried again. */
export class JobConsumer {
  private consumption: Consumption | undefined;
  private stopping = new AbortController();

  constructor(
    private readonly parts: Pick<JobParts, 'messages' | 'storeRetry'>,
    private readonly queue: Queue,
    private readonly topic: string,
    private readonly concurrency: number,
  ) {}

  async start(): Promise<void> {
    this.stopping = new AbortController();
    const { signal } = this.stopping;
    const { topic, concurrency, queue } = this;
    const { messages, storeRetry } = this.parts;
    await queue.begin?.(signal);
    const next = queue.next?.bind(queue);
    this.consumption = await messages.consume({
      topic,
      concurrency,
      handle: (message) => storeRetry.untilAvailable(() => queue.handle(message, signal), signal),
      ...(next && { queued: (key, known, limit) => storeRetry.untilAvailable(() => next(key, known, limit), signal) }),
    });
  }

  /** Unfinished messages are delivered again later, to this or another process. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const ended = this.queue.end?.();
    await this.consumption?.stop(graceMs);
    this.consumption = undefined;
    await ended;
  }
}
