import { Logger } from '@nestjs/common';
import type { Batch, KafkaMessage } from 'kafkajs';
import { reasonOf } from '../../../../kernel/reason.js';
import { throttledLog } from '../../../../kernel/throttled-log.js';
import type { Clock } from '../../../../ports/clock.port.js';
import type { Consumer, Message } from '../../../../ports/messages.port.js';
import type { Further } from '../../key-queue.js';
import { KeyedWork } from '../../keyed-work.js';
import { messageIn } from '../cloud-event.js';
import { PartitionLedger } from './partition-ledger.js';
import type { Holdings } from './sticky-assigner.js';

export interface Fetching {
  pause(partition: number): void;
  resume(partition: number): void;
  seek(partition: number, offset: number): void;
  commit(offsets: readonly { readonly partition: number; readonly offset: number }[]): Promise<void>;
}

export interface GroupShareOptions {
  readonly consumer: Consumer;
  readonly clock: Clock;
  /** Number of a partition's messages in memory at which fetching from the partition pauses. */
  readonly mostQueued: number;
  /**
   * Maximum number of a key's messages in memory if the consumer has the method `queued`, which reads the key's other
   * messages later. Default: 50.
   */
  readonly mostOfKey?: number | undefined;
  readonly source?: () => string;
}

interface Delivery {
  readonly key: string;
  readonly partition: number;
  /** Offsets at which this message was received. Empty if a look-up found it. */
  readonly offsets: number[];
  readonly message: Message;
}

/** kafkajs sets `fetchedOffset`, the offset at which the fetch began, but does not declare it. */
type Fetched = Batch & { readonly fetchedOffset?: string };

const commitEveryMs = 250;

export class GroupShare implements Holdings {
  private readonly log = new Logger('Messages');
  private readonly warn = throttledLog((sentence) => this.log.warn(sentence));
  private readonly ledgers = new Map<number, PartitionLedger>();
  private readonly lost = new Map<number, PartitionLedger>();
  private readonly work: KeyedWork<Delivery>;
  private fetching: Fetching | undefined;
  private memberId: string | undefined;
  private joins = 0;
  private commitDue = false;
  private ending = false;

  constructor(private readonly options: GroupShareOptions) {
    const { consumer, clock } = options;
    this.work = new KeyedWork<Delivery>({
      clock,
      concurrency: consumer.concurrency,
      handle: ({ message }) => consumer.handle(message),
      done: (delivery) => this.done(delivery),
      rejected: (delivery, error, pauseMs) => this.rejected(delivery, error, pauseMs),
      further: this.further(),
    });
  }

  assignedPartitions(): readonly number[] {
    return [...this.ledgers.keys()];
  }

  /** Starts no more handlers until the new assignment is known. */
  joining(): void {
    this.joins += 1;
    this.work.pause();
  }

  /**
   * A partition that stays assigned retains its messages if this member joined only once since the last assignment,
   * because no other member can have had the partition. In all other cases, messages whose handling has not begun are
   * dropped and fetched again from the committed offset.
   */
  joined(memberId: string, partitions: readonly number[], fetching: Fetching): void {
    const retains = memberId === this.memberId && this.joins === 1;
    for (const [partition, ledger] of this.ledgers) {
      if (retains && partitions.includes(partition)) continue;
      this.ledgers.delete(partition);
      // A ledger that has received no messages does not replace an earlier ledger of the partition in `lost`, because
      // only the earlier one shows which messages were dropped.
      if (ledger.expected !== undefined || !this.lost.has(partition)) this.lost.set(partition, ledger);
      this.work.drop((delivery) => delivery.partition === partition);
    }
    for (const partition of partitions) {
      if (!this.ledgers.has(partition)) this.ledgers.set(partition, new PartitionLedger());
    }
    this.memberId = memberId;
    this.joins = 0;
    this.fetching = fetching;
    for (const [partition, ledger] of this.ledgers) {
      this.relieve(partition, ledger);
      // In kafkajs a partition remains paused as long as the connection lasts, even if another member had the partition
      // in the meantime. So the state is set for every partition.
      if (ledger.paused) fetching.pause(partition);
      else fetching.resume(partition);
    }
    if (!this.ending) this.work.release();
  }

  enqueue(batch: Batch): void {
    const { partition } = batch;
    const ledger = this.ledgers.get(partition);
    if (ledger === undefined || this.ending || this.isLeftover(batch, ledger)) return;
    for (const record of batch.messages) this.accept(partition, ledger, record);
    ledger.reached(Number(batch.lastOffset()), Number(batch.highWatermark));
    if (ledger.size >= this.options.mostQueued && !ledger.paused) {
      ledger.paused = true;
      this.fetching?.pause(partition);
    }
    this.commitSoon();
  }

  get partitions(): { readonly assigned: number; readonly paused: readonly number[] } {
    const paused = [...this.ledgers].filter(([, ledger]) => ledger.paused).map(([partition]) => partition);
    return { assigned: this.ledgers.size, paused };
  }

  get busyKeys(): number {
    return this.work.beyond;
  }

  lookedAt(ends: ReadonlyMap<number, number>): void {
    for (const [partition, end] of ends) this.ledgers.get(partition)?.endsAt(end);
  }

  get waiting(): number {
    return [...this.ledgers.values()].reduce((sum, { behind }) => sum + behind, 0);
  }

  /** Commits the offsets of finished messages. After a failure, the next call includes the same offsets. */
  async commit(): Promise<void> {
    const offsets = [...this.ledgers].flatMap(([partition, ledger]) => {
      const offset = ledger.base;
      return offset === undefined || offset === ledger.committed ? [] : [{ partition, offset, ledger }];
    });
    if (offsets.length === 0 || this.fetching === undefined) return;
    await this.fetching.commit(offsets);
    for (const { ledger, offset } of offsets) ledger.committed = offset;
  }

  async drain(graceMs: number): Promise<void> {
    this.ending = true;
    await this.work.drain(graceMs);
  }

  private accept(partition: number, ledger: PartitionLedger, record: KafkaMessage): void {
    const offset = Number(record.offset);
    if (!ledger.received(offset)) return;
    const { topic } = this.options.consumer;
    const found = messageIn(record, this.options.source?.());
    if (!found?.own) {
      if (found === undefined)
        this.log.warn(`${topic} ${partition}:${offset} was not published by this service and is skipped.`);
      else this.warn(`${topic} contains messages of another event log, which are skipped.`);
      ledger.done(offset);
      return;
    }
    const { message } = found;
    // If this message is in progress, it began before the partition moved away and came back. It must not begin a
    // second time, and its end is recorded in the new ledger.
    const inHand = this.work.inHand(message.key);
    if (inHand?.partition === partition && inHand.offsets.includes(offset)) return;
    // Earlier messages of the key can be missing in two cases. If this is the key's first message in this process, the
    // partition's previous member may have left some unfinished. If this message was published again, others may have
    // been lost.
    const isFirst = this.options.consumer.queued !== undefined && ledger.meets(message.key);
    this.work.add({ key: message.key, partition, offsets: [offset], message }, isFirst || message.again === true);
  }

  private further(): Further<Delivery> | undefined {
    const { consumer, mostOfKey: most = 50 } = this.options;
    const queued = consumer.queued?.bind(consumer);
    if (queued === undefined) return undefined;
    return {
      most,
      find: async ({ key, partition }, known) => {
        const messages = known.map(({ message }) => message);
        const found = await queued(key, messages, most);
        return found.map((message) => ({ key, partition, offsets: [], message }));
      },
      isSame: (one, other) => one.message.id === other.message.id,
      join: (waiting, double) => {
        // One uncommitted offset is enough to receive the message again after a crash.
        if (waiting.offsets.length === 0) waiting.offsets.push(...double.offsets);
        else this.done(double);
      },
      leave: (delivery) => this.done(delivery),
      failed: ({ key }, error, pauseMs) =>
        this.log.warn(
          `The queued messages of ${key} could not be read and will be read again in ${pauseMs} ms: ${reasonOf(error)}`,
        ),
    };
  }

  /**
   * Whether the batch was fetched for an earlier assignment and begins after messages that were dropped with the old
   * ledger. If so, this also sets the fetch position back to these messages.
   */
  private isLeftover(batch: Fetched, ledger: PartitionLedger): boolean {
    const before = this.lost.get(batch.partition);
    if (ledger.expected !== undefined || before === undefined) return false;
    this.lost.delete(batch.partition);
    const { base, expected } = before;
    const from = Number(batch.fetchedOffset ?? batch.firstOffset());
    if (base === undefined || expected === undefined || from <= base || from > expected) return false;
    this.fetching?.seek(batch.partition, base);
    return true;
  }

  private done({ partition, offsets }: Delivery): void {
    const ledger = this.ledgers.get(partition);
    if (ledger === undefined) return;
    for (const offset of offsets) ledger.done(offset);
    this.relieve(partition, ledger);
    this.commitSoon();
  }

  private rejected({ partition, offsets, message }: Delivery, error: unknown, pauseMs: number): boolean {
    const ledger = this.ledgers.get(partition);
    const ours = ledger !== undefined && (offsets.length === 0 || offsets.some((offset) => ledger.has(offset)));
    const next = ours
      ? `will be delivered again in ${pauseMs} ms`
      : 'is left to the process that now has its partition';
    this.log.warn(`${this.options.consumer.topic}: message ${message.id} ${next}: ${reasonOf(error)}`);
    return ours;
  }

  private relieve(partition: number, ledger: PartitionLedger): void {
    if (!ledger.paused || ledger.size > this.options.mostQueued / 2) return;
    ledger.paused = false;
    this.fetching?.resume(partition);
  }

  private commitSoon(): void {
    if (this.commitDue) return;
    this.commitDue = true;
    this.options.clock.after(commitEveryMs, () => {
      this.commitDue = false;
      this.commit().catch((error: unknown) => {
        this.log.debug(
          `Offsets of ${this.options.consumer.topic} could not be committed and will be committed later: ${reasonOf(error)}`,
        );
        this.commitSoon();
      });
    });
  }
}
