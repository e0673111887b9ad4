import { Logger } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { JsonObject } from '../../kernel/json/json.js';
import { reasonOf } from '../../kernel/reason.js';
import type { Document, Where } from '../../kernel/record/projection.js';
import type { Message } from '../../ports/messages.port.js';
import { unavailableStores } from '../cluster/unavailable-stores.js';
import { dueRecords } from '../read-models/due-records.js';
import type { Job, JobParts, Queue } from './job.js';

const page = 200;

type Due<Field extends string> = Document & Readonly<Record<Field, string | null>>;

interface DueFacts<Doc, Field extends string, Event extends DomainEvent> extends Omit<Job<never, Event>, 'queue'> {
  readonly collection: string;
  /** Field with the due time in ISO 8601. A document with null is never due. */
  readonly due: Field;
  /**
   * Interval at which all due work is handed over again, by a message to the consumers. An earlier message can be lost,
   * and work that was delayed becomes due without a message.
   */
  readonly everyMs: number;
  /** Work is handed over again only when it has been due for this time. Default: 0. */
  readonly lateAfterMs?: number;
  /**
   * Returns the condition for the documents of a message key. If implemented, the process need not hold all messages of
   * a key in memory.
   */
  ofKey?(key: string): Where;
  message(document: Doc): Message | undefined;
}

export interface DueWork<Doc, Value> {
  /** Long work must end early once `stopping` is aborted. */
  attempt(value: Value, stopping: AbortSignal): Promise<void>;
  /**
   * Called before work is handed over. Returns true if nothing is left to do, e.g. because the work has expired and was
   * deleted.
   */
  settles?(document: Doc): Promise<boolean>;
}

/**
 * Declares a job whose work is handed over at every interval from its due time until it is done. If messages are
 * durable, every consuming process does this, and consumers ignore duplicates.
 */
export const dueJob =
  <Event extends DomainEvent>() =>
  <Doc extends Due<Field>, Value extends JsonObject, Field extends string>(
    facts: DueFacts<Doc, Field, Event>,
  ): Job<DueWork<Doc, Value>, Event> & Pick<typeof facts, 'message'> => ({
    ...facts,
    queue: (parts, work) => new DueQueue(parts, facts, work),
  });

class DueQueue<Doc extends Due<Field>, Value extends JsonObject, Field extends string> implements Queue {
  readonly next: Queue['next'];
  private readonly log = new Logger('Jobs');
  private callOff = () => {};
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: JobParts,
    private readonly facts: DueFacts<Doc, Field, DomainEvent>,
    private readonly work: DueWork<Doc, Value>,
  ) {
    const { ofKey } = facts;
    if (ofKey !== undefined) this.next = (key, _known, limit) => this.firstOf(ofKey(key), limit);
  }

  async begin(stopping: AbortSignal): Promise<void> {
    // If messages are only in memory, those of an earlier process are lost, so all due work is handed over now.
    if (!this.parts.messages.durable) await this.handOver(this.parts.clock.now());
    this.repeat(stopping);
  }

  handle({ value }: Message, stopping: AbortSignal): Promise<void> {
    return this.work.attempt(value as Value, stopping);
  }

  recover(): Promise<void> {
    return this.handOver(this.parts.clock.now() - (this.facts.lateAfterMs ?? 0));
  }

  async end(): Promise<void> {
    this.callOff();
    await this.running;
  }

  private async firstOf(where: Where, limit: number): Promise<readonly Message[]> {
    const { collection, due, message } = this.facts;
    const documents = await this.parts.store.find<Doc>(collection, {
      where: { ...where, [due]: { lte: new Date(this.parts.clock.now()).toISOString() } },
      sort: [[due, 'asc']],
      limit,
    });
    return documents.flatMap((document) => message(document) ?? []);
  }

  private async handOver(now: number): Promise<void> {
    const { store, messages } = this.parts;
    const { topic, collection, due: field, message } = this.facts;
    for await (const some of dueRecords<Doc, Field>(store, collection, { field, now, page })) {
      for (const document of some) {
        if (await this.isSettled(document)) continue;
        const next = message(document);
        if (next !== undefined) await messages.publish(topic, next);
      }
    }
  }

  /**
   * If `settles` fails although the stores are available, the document is handed over anyway, so that it does not block
   * later ones.
   */
  private async isSettled(document: Doc): Promise<boolean> {
    try {
      return (await this.work.settles?.(document)) ?? false;
    } catch (error) {
      if (unavailableStores(error).length > 0) throw error;
      this.log.warn(`A due record of ${this.facts.topic} (${document.id}) could not be settled: ${reasonOf(error)}`);
      return false;
    }
  }

  private repeat(stopping: AbortSignal): void {
    this.callOff = this.parts.clock.after(this.facts.everyMs, () => {
      this.running = this.recover()
        .catch((error: unknown) =>
          this.log.warn(`The due records of ${this.facts.topic} could not be looked up: ${reasonOf(error)}`),
        )
        .finally(() => {
          if (!stopping.aborted) this.repeat(stopping);
        });
    });
  }
}
