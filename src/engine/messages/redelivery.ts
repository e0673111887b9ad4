import type { Document, Where } from '../../kernel/record/projection.js';
import type { Clock } from '../../ports/clock.port.js';
import type { Message, Messages } from '../../ports/messages.port.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import type { Metrics } from '../health/metrics.js';

const page = 500;
const lostAfterMs = 60_000;

interface Queue<Doc extends Document, Field extends string> {
  readonly topic: string;
  readonly collection: string;
  readonly where: Where;
  /** Field with the time, in ISO 8601, at which the work was accepted. */
  readonly since: Field;
  message(document: Doc): Message;
  /** Returns the time, in ISO 8601, at which a consumer was last notified, or null if none ever was. */
  notifiedAt?(document: Doc): string | null;
}

/**
 * Publishes messages again that may have been lost. Consumers ignore those that were not lost. With durable messages,
 * only the oldest message of each key is published: the port then asks `Consumer.queued` for the other messages of the
 * key.
 */
export class Redelivery<Doc extends Document & Readonly<Record<Field, string>>, Field extends string> {
  private readonly published = new Map<string, number>();
  private after: readonly string[] | undefined;

  constructor(
    private readonly store: ReadStore,
    private readonly messages: Messages,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    private readonly queue: Queue<Doc, Field>,
  ) {}

  async look(): Promise<void> {
    const { collection, where, since, topic, notifiedAt } = this.queue;
    const before = this.clock.now() - lostAfterMs;
    for (const [one, at] of this.published) if (at <= before) this.published.delete(one);
    const found: readonly Doc[] = await this.store.find<Doc>(collection, {
      where: { ...where, [since]: { lte: new Date(before).toISOString() } },
      sort: [[since, 'asc']],
      limit: page,
      ...(this.after && { after: this.after }),
    });
    for (const document of found) {
      if (Date.parse(notifiedAt?.(document) ?? '') > before) continue;
      const message = this.queue.message(document);
      const one = this.messages.durable ? message.key : message.id;
      if (this.published.has(one)) continue;
      await this.messages.publish(topic, { ...message, again: true });
      this.published.set(one, this.clock.now());
      // An in-memory message can still be queued, so publishing it again does not indicate a loss.
      if (this.messages.durable) this.metrics.publishedAgain(topic);
    }
    const last = found.at(-1);
    this.after = last === undefined || found.length < page ? undefined : [last[since], last.id];
  }
}
