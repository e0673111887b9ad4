import type { Document, Where } from '../../kernel/record/projection.js';
import type { Clock } from '../../ports/clock.port.js';
import type { Message, Messages } from '../../ports/messages.port.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import type { Metrics } from '../health/metrics.js';

/** Documents a look, so that a long queue is gone through in many looks. */
const page = 500;
/** What has been queued for longer may have been lost on its way. */
const lostAfterMs = 60_000;

interface Queue<Doc extends Document, Field extends string> {
  readonly topic: string;
  readonly collection: string;
  readonly where: Where;
  /** Since when a document is queued, ISO 8601. */
  readonly since: Field;
  message(document: Doc): Message;
  /** It is queued again since then, and somebody was told. */
  tellsSince?(document: Doc): string | null;
}

/**
 * Finds in a read model what has been queued for more than a minute, and publishes it again: the message may be lost. Most
 * often it is not, and whoever holds it passes over the double. Of each key the oldest is enough where messages outlive
 * the process, because its consumer looks up what follows.
 */
export class QueuedAgain<Doc extends Document & Readonly<Record<Field, string>>, Field extends string> {
  /** Messages published again within the last minute, by key or id. */
  private readonly told = new Map<string, number>();
  private after: readonly string[] | undefined;

  constructor(
    private readonly store: ReadStore,
    private readonly messages: Messages,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    private readonly queue: Queue<Doc, Field>,
  ) {}

  /** Looks at the next page; after the last one at the first again. */
  async look(): Promise<void> {
    const { collection, where, since, topic, tellsSince } = this.queue;
    const before = this.clock.now() - lostAfterMs;
    for (const [one, at] of this.told) if (at <= before) this.told.delete(one);
    const found: readonly Doc[] = await this.store.find<Doc>(collection, {
      where: { ...where, [since]: { lte: new Date(before).toISOString() } },
      sort: [[since, 'asc']],
      limit: page,
      ...(this.after && { after: this.after }),
    });
    for (const document of found) {
      if (Date.parse(tellsSince?.(document) ?? '') > before) continue;
      const message = this.queue.message(document);
      const one = this.messages.durable ? message.key : message.id;
      if (this.told.has(one)) continue;
      await this.messages.publish(topic, { ...message, again: true });
      this.told.set(one, this.clock.now());
      // Elsewhere it was not lost: it waits under its id.
      if (this.messages.durable) this.metrics.publishedAgain(topic);
    }
    const last = found.at(-1);
    this.after = last === undefined || found.length < page ? undefined : [last[since], last.id];
  }
}
