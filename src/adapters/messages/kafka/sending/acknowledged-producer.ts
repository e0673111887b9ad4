import { gzipSync } from 'node:zlib';
import { Logger } from '@nestjs/common';
import { CompressionTypes, type Kafka, type Message as KafkaRecord, type Producer } from 'kafkajs';
import { reasonOf } from '../../../../kernel/reason.js';
import type { Clock } from '../../../../ports/clock.port.js';
import { MessagesUnavailable } from '../../../../ports/messages.port.js';
import { typeIn } from '../broker-errors.js';
import { AcknowledgedPartitions } from './acknowledged-partitions.js';

export interface AcknowledgedProducerOptions {
  readonly kafka: Kafka;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Largest batch that brokers accept for the topic, in bytes. */
  readonly mostBytesOf: (topic: string) => number;
  /** Called when brokers have refused a batch as too large. Afterwards, `mostBytesOf` should return less. */
  readonly wasTooLarge: (topic: string) => Promise<void>;
}

interface Piece {
  readonly topic: string;
  readonly records: readonly KafkaRecord[];
  readonly bytes: number;
  readonly room: number;
  readonly publication: Publication;
}

interface Publication {
  readonly settle: (error?: Error) => void;
  left: number;
  over: boolean;
}

/**
 * Maximum size of the records in a batch, in bytes. Brokers refuse a batch above the topic's `max.message.bytes`, and a
 * seventh is reserved for the batch's other fields. For each partition in a request, kafkajs makes one batch of all its
 * records.
 */
const roomIn = (batchBytes: number): number => Math.floor((batchBytes * 6) / 7);
/** Maximum size of a request, in bytes. Only a request with a single record may be larger. */
const mostBytes = 900_000;
/** Compression of requests below this size, in bytes, does not pay. */
const compressedFrom = 10_000;
const mostPieces = 1_000;
const pausesMs = [100, 200, 400, 800, 1_600];

/** Whether brokers with this batch limit accept the record, plain or compressed. */
export function fitsKafka(record: KafkaRecord, batchBytes: number): boolean {
  const [bytes, room] = [bytesOf(record), roomIn(batchBytes)];
  if (bytes <= room) return true;
  // Compressing larger records would cost too much.
  if (bytes > 10 * room) return false;
  return gzipSync(String(record.value)).length + bytesOf({ ...record, value: '' }) <= room;
}

/**
 * Records that are published during a batch go into the next one, which preserves the order. When a publication
 * resolves, every in-sync replica has its records.
 */
export class AcknowledgedProducer {
  private readonly log = new Logger('Kafka');
  private readonly acknowledged = new AcknowledgedPartitions();
  private readonly waiting: Piece[] = [];
  private producer: Promise<Producer> | undefined;
  private sending: Promise<void> | undefined;
  private closed = false;
  private failures = 0;
  private ended = false;

  constructor(private readonly options: AcknowledgedProducerOptions) {}

  get notAcknowledged(): number {
    return this.failures;
  }

  /**
   * Publishes the records in order, in several batches if necessary.
   * @throws MessagesUnavailable; Error if a record exceeds the brokers' limit
   */
  publish(topic: string, records: readonly KafkaRecord[]): Promise<void> {
    if (this.closed) return Promise.reject(new MessagesUnavailable('Messages are closed.'));
    const batchBytes = this.options.mostBytesOf(topic);
    const tooLarge = records.find((record) => !fitsKafka(record, batchBytes));
    if (tooLarge !== undefined) {
      const bytes = bytesOf(tooLarge);
      return Promise.reject(
        new Error(`A message of ${bytes} bytes is too large for Kafka topic ${topic}; raise its max.message.bytes.`),
      );
    }
    if (records.length === 0) return Promise.resolve();
    return new Promise<void>((resolve, reject) => {
      const settle = (error?: Error) => {
        if (publication.over) return;
        publication.over = true;
        if (error !== undefined) this.failures += 1;
        callOff();
        if (error === undefined) resolve();
        else reject(error);
      };
      const room = roomIn(batchBytes);
      const pieces = piecesOf(records, Math.min(room, mostBytes));
      const publication: Publication = { settle, left: pieces.length, over: false };
      const late = new MessagesUnavailable(
        `Kafka did not acknowledge the messages within ${this.options.timeoutMs} ms.`,
      );
      const callOff = this.options.clock.after(this.options.timeoutMs, () => settle(late));
      for (const piece of pieces) this.waiting.push({ topic, publication, room, ...piece });
      this.sending ??= this.sendAll();
    });
  }

  async close(graceMs: number): Promise<void> {
    this.closed = true;
    const late = new Promise<void>((resolve) => this.options.clock.after(graceMs, resolve));
    await Promise.race([this.sending, late]);
    this.ended = true;
    for (const { publication } of this.waiting.splice(0))
      publication.settle(new MessagesUnavailable('Messages are closed.'));
    const leave = this.producer?.then((producer) => producer.disconnect()).catch(() => undefined);
    await Promise.race([leave, late]);
  }

  private async sendAll(): Promise<void> {
    await Promise.resolve();
    for (let batch = this.next(); batch.length > 0; batch = this.next()) await this.send(batch);
    this.sending = undefined;
  }

  private next(): readonly Piece[] {
    const batch: Piece[] = [];
    const ofTopics = new Map<string, number>();
    for (let bytes = 0; batch.length < mostPieces; ) {
      const [first] = this.waiting;
      if (first === undefined) break;
      const ofTopic = ofTopics.get(first.topic) ?? 0;
      const isFull = bytes + first.bytes > mostBytes || (ofTopic > 0 && ofTopic + first.bytes > first.room);
      if (batch.length > 0 && isFull) break;
      this.waiting.shift();
      if (first.publication.over) continue;
      bytes += first.bytes;
      ofTopics.set(first.topic, ofTopic + first.bytes);
      batch.push(first);
    }
    return batch;
  }

  /**
   * If the response omits a partition, the batch is sent again after each pause in `pausesMs`, as long as a publisher
   * waits for it. Any other failure is final.
   */
  private async send(batch: readonly Piece[]): Promise<void> {
    let reason: unknown;
    for (const pauseMs of [...pausesMs, undefined]) {
      const expected = batch.filter(({ publication }) => !publication.over);
      if (expected.length === 0 || this.ended) break;
      try {
        return await this.attempt(expected);
      } catch (error) {
        reason = error;
        this.replaceProducer(error);
        if (pauseMs === undefined || !(error instanceof PartOmitted)) break;
        await new Promise<void>((resolve) => this.options.clock.after(pauseMs, resolve));
      }
    }
    if (isTooLarge(reason)) {
      const topics = new Set(batch.map(({ topic }) => topic));
      await Promise.all([...topics].map((topic) => this.options.wasTooLarge(topic)));
    }
    const unavailable = new MessagesUnavailable(`Kafka cannot be reached or written to: ${reasonOf(reason)}`);
    for (const { publication } of batch) if (!publication.over) publication.settle(unavailable);
  }

  private async attempt(batch: readonly Piece[]): Promise<void> {
    const producer = await this.connected();
    const topicMessages = batch.map(({ topic, records }) => ({ topic, messages: [...records] }));
    const bytes = batch.reduce((sum, piece) => sum + piece.bytes, 0);
    const compression = bytes < compressedFrom ? CompressionTypes.None : CompressionTypes.GZIP;
    this.acknowledged.begin();
    const answer = await producer.sendBatch({ acks: -1, timeout: 8_000, compression, topicMessages });
    if (!this.acknowledged.areAllIn(answer)) throw new PartOmitted('Some partitions have not acknowledged.');
    for (const { publication } of batch) {
      publication.left -= 1;
      if (publication.left === 0) publication.settle();
    }
  }

  private connected(): Promise<Producer> {
    this.producer ??= this.connect();
    return this.producer;
  }

  private async connect(): Promise<Producer> {
    const producer = this.options.kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      createPartitioner: this.acknowledged.partitioner,
    });
    try {
      await producer.connect();
      return producer;
    } catch (error) {
      await producer.disconnect().catch(() => undefined);
      throw error;
    }
  }

  /**
   * It is unknown whether brokers recorded the failed batch. The old producer would give its sequence numbers to the
   * next batch, which brokers could then drop as a repetition.
   */
  private replaceProducer(error: unknown): void {
    this.log.warn(`A batch was not acknowledged, so the producer is replaced: ${reasonOf(error)}`);
    this.producer?.then((producer) => producer.disconnect()).catch(() => undefined);
    this.producer = undefined;
  }
}

/** The whole batch is sent again, so messages that were acknowledged are duplicated. */
class PartOmitted extends Error {}

const tooLargeTypes: readonly (string | undefined)[] = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'];
const isTooLarge = (reason: unknown) => tooLargeTypes.includes(typeIn(reason));

function piecesOf(records: readonly KafkaRecord[], most: number): readonly Pick<Piece, 'records' | 'bytes'>[] {
  const pieces: { readonly records: KafkaRecord[]; bytes: number }[] = [];
  for (const record of records) {
    const bytes = bytesOf(record);
    const last = pieces.at(-1);
    if (last === undefined || last.bytes + bytes > most) pieces.push({ records: [record], bytes });
    else {
      last.records.push(record);
      last.bytes += bytes;
    }
  }
  return pieces;
}

function bytesOf({ key, value }: KafkaRecord): number {
  return Buffer.byteLength(key ?? '') + Buffer.byteLength(value ?? '') + 200;
}
