import type { DomainEvent } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import type { JsonObject } from '../../kernel/json/json.js';
import type { Document, Where } from '../../kernel/record/projection.js';
import type { Message } from '../../ports/messages.port.js';
import type { Duty } from '../cluster/lease-keeper.js';
import { recoveryDuty } from '../cluster/recovery-duty.js';
import { Redelivery } from '../messages/redelivery.js';
import type { Job, JobParts, Queue } from './job.js';

const page = 200;

type Shown<Since extends string> = Document & { readonly position: number } & Readonly<Record<Since, string>>;

export interface ShownMessage extends JsonObject {
  readonly workspaceId: string;
  /** Log position. Once the read model has reached it, the read model includes the work. */
  readonly position: number;
}

interface ShownFacts<Doc, Value, Since extends string, Event extends DomainEvent>
  extends Omit<Job<never, Event>, 'queue'> {
  readonly collection: string;
  readonly waits: Where;
  /** Selects work that was started and has not ended. Later work of the same key must not overtake it. */
  readonly begun?: Where;
  /** Field with the time, in ISO 8601, at which the work was accepted. */
  readonly since: Since;
  /** Returns the time, in ISO 8601, at which the work was last handed over again, or null if it never was. */
  notifiedAt?(document: Doc): string | null;
  readonly id: keyof Value & string;
  /**
   * Field, in messages and documents, with the id of the stream whose event accepted the work. All work of a key must
   * be in one stream.
   */
  readonly orderedBy: keyof Value & string;
  /**
   * Set if each attempt is claimed in the log before it begins. If the document is outdated, the claim fails and the
   * message is redelivered.
   */
  readonly isClaimed?: true;
  readonly lease: string;
  message(document: Doc): Message;
}

export interface ShownWork<Doc> {
  /** Called before the document of the work is read. May wait until the work can be done. */
  ready?(id: string, stopping: AbortSignal): Promise<void>;
  attempt(document: Doc, stopping: AbortSignal): Promise<void>;
  /**
   * Ends or requeues work that dead processes left unfinished. One process does this for all, before it publishes lost
   * messages again.
   */
  settle?(): Promise<void>;
}

/** The work of one key is done in the order of acceptance. */
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
   * Returns the oldest work first. Includes started work, so that later work does not overtake it.
   * @throws Error if the read model does not include the work of the messages in `known` yet
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
