import type { DomainEvent } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import type { JsonObject } from '../../kernel/json/json.js';
import type { Document, Where } from '../../kernel/record/projection.js';
import type { Message } from '../../ports/messages.port.js';
import type { Duty } from '../cluster/lease-keeper.js';
import { recoveryDuty } from '../cluster/recovery-duty.js';
import { Redelivery } from '../messages/redelivery.js';
import type { Job, JobParts, Queue } from './job.js';

/** Page size for lookups if several keys share a stream of work. */
const page = 200;

type Shown<Since extends string> = Document & { readonly position: number } & Readonly<Record<Since, string>>;

export interface ShownMessage extends JsonObject {
  readonly workspaceId: string;
  /**
   * Log position of the event that accepted the work. A read model that has not reached it does not include the work
   * yet.
   */
  readonly position: number;
}

interface ShownFacts<Doc, Value, Since extends string, Event extends DomainEvent>
  extends Omit<Job<never, Event>, 'queue'> {
  /** Name of the read model with the work, and of its collection. */
  readonly collection: string;
  /** Selects work that has not started yet. */
  readonly waits: Where;
  /** Selects started work, which later work of the same key must not overtake. */
  readonly begun?: Where;
  /** Field with the time at which the work was queued, in ISO 8601. */
  readonly since: Since;
  /** Returns the time at which the work was handed over again, in ISO 8601, or null if it was not. */
  notifiedAt?(document: Doc): string | null;
  readonly id: keyof Value & string;
  /**
   * Field of messages and documents with the id of the stream that accepted the work. All work of a key must be in one
   * stream.
   */
  readonly orderedBy: keyof Value & string;
  /**
   * Each attempt is claimed in the log before it begins. A document that shows the acceptance then suffices: one that
   * is behind leads to a claim that fails, and to a redelivery.
   */
  readonly isClaimed?: true;
  /** Lease of the process that recovers work of other processes. */
  readonly lease: string;
  message(document: Doc): Message;
}

export interface ShownWork<Doc> {
  /** Called before the document is read. */
  ready?(id: string, stopping: AbortSignal): Promise<void>;
  attempt(document: Doc, stopping: AbortSignal): Promise<void>;
  /**
   * Ends work that dead processes left unfinished. One process does this for all, before lost messages are published
   * again.
   */
  settle?(): Promise<void>;
}

/**
 * Declares a job whose work is visible in a read model from acceptance to end. Work of one key is done in order of
 * acceptance.
 */
export const shownJob =
  <Event extends DomainEvent>() =>
  <Doc extends Shown<Since>, Value extends ShownMessage, Since extends string>(
    facts: ShownFacts<Doc, Value, Since, Event>,
  ): Job<ShownWork<Doc>, Event> & Pick<typeof facts, 'message'> => ({
    ...facts,
    queue: (parts, work) => new ShownQueue(parts, facts, work),
  });

class ShownQueue<Doc extends Shown<Since>, Value extends ShownMessage, Since extends string> implements Queue {
  readonly settling: Duty;
  private readonly again: Redelivery<Doc, Since>;

  constructor(
    private readonly parts: JobParts,
    private readonly facts: ShownFacts<Doc, Value, Since, DomainEvent>,
    private readonly work: ShownWork<Doc>,
  ) {
    const { messages, store, clock, leases, metrics } = parts;
    const { lease: name, waits: where } = facts;
    this.again = new Redelivery<Doc, Since>(store, messages, clock, metrics, { ...facts, where });
    this.settling = recoveryDuty({
      name,
      clock,
      leases,
      look: async () => this.work.settle?.(),
      publishAgain: () => this.again.look(),
    });
  }

  begin(stopping: AbortSignal): Promise<void> {
    return this.parts.lost.publishAgain(this.facts.collection, () => this.publishAll(), stopping);
  }

  async handle(message: Message, stopping: AbortSignal): Promise<void> {
    const { head, store, readYourWrites } = this.parts;
    const { topic, collection, isClaimed } = this.facts;
    const value = message.value as Value;
    if (!(await head.holds(topic, value.position, collection))) return;
    const id = String(value[this.facts.id]);
    await this.work.ready?.(id, stopping);
    this.recorded(value, value.position);
    const document = await store.get<Doc>(collection, id, isClaimed && value.position);
    if (document?.workspaceId === value.workspaceId) return this.work.attempt(document, stopping);
    if (!readYourWrites.isCurrent(collection)) throw new Error(`The read models do not show ${id} yet.`);
  }

  /**
   * Returns the unfinished work of a key, oldest first. Includes started work, so that it is not overtaken. @throws
   * Error if the read model does not include the known messages yet
   */
  async next(key: string, known: readonly Message[], limit: number): Promise<readonly Message[]> {
    const { head, readYourWrites } = this.parts;
    const { collection, begun, waits, message } = this.facts;
    const values = known.map(({ value }) => value as Value);
    const [first] = values;
    if (first === undefined) return [];
    const positions = values.map(({ position }) => position);
    this.recorded(first, await head.lastOf(positions, collection));
    const found = await Promise.all(
      [begun, waits].map((where) => (where === undefined ? [] : this.firstOf(key, first, where, limit))),
    );
    if (!readYourWrites.isCurrent(collection))
      throw new Error(`The read model ${collection} does not show all work yet.`);
    return inOrder(found.flat()).slice(0, limit).map(message);
  }

  private async publishAll(): Promise<void> {
    const { collection, waits: where, topic, message } = this.facts;
    const waiting = await this.parts.store.find<Doc>(collection, { where });
    for (const document of inOrder(waiting)) await this.parts.messages.publish(topic, message(document));
  }

  /** Filters pages by key, because the work of one stream may have several keys. */
  private async firstOf(key: string, value: Value, where: Where, limit: number): Promise<readonly Doc[]> {
    const { collection, orderedBy, message } = this.facts;
    const ours: Doc[] = [];
    for (let after: readonly (string | number)[] | undefined; ours.length < limit; ) {
      const size = after === undefined ? limit : page;
      const some: readonly Doc[] = await this.parts.store.find<Doc>(collection, {
        where: { ...where, workspaceId: value.workspaceId, [orderedBy]: String(value[orderedBy]) },
        sort: [['position', 'asc']],
        limit: size,
        ...(after && { after }),
      });
      ours.push(...some.filter((document) => message(document).key === key));
      const last = some.at(-1);
      if (last === undefined || some.length < size) break;
      after = [last.position, last.id];
    }
    return ours.slice(0, limit);
  }

  /** Makes later reads wait until they include the acceptance at this position. */
  private recorded(value: Value, position: number): void {
    const { accepted, orderedBy } = this.facts;
    const stream = streamOf(accepted.category, value.workspaceId, String(value[orderedBy]));
    this.parts.readYourWrites.appended(
      position,
      accepted.reads.map((type) => ({ stream, type })),
    );
  }
}

const inOrder = <Doc extends { readonly position: number }>(documents: readonly Doc[]): readonly Doc[] =>
  documents.toSorted((one, other) => one.position - other.position);
