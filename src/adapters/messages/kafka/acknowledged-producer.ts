import { Logger } from '@nestjs/common';
import { CompressionTypes, type Kafka, type Message as KafkaRecord, Partitioners, type Producer } from 'kafkajs';
import { reasonOf } from '../../../kernel/reason.js';
import type { Clock } from '../../../ports/clock.port.js';
import { MessagesUnavailable } from '../../../ports/messages.port.js';

export interface AcknowledgedProducerOptions {
  readonly kafka: Kafka;
  readonly clock: Clock;
  /** How long one publication waits for the brokers' acknowledgement. */
  readonly timeoutMs: number;
}

interface Waiting {
  readonly topic: string;
  readonly records: readonly KafkaRecord[];
  readonly bytes: number;
  readonly settle: (error?: Error) => void;
  /** The publisher no longer waits for it. */
  over: boolean;
}

const mostBytes = 900_000;
const mostPublications = 1_000;

/**
 * Sends one batch at a time. Everything published meanwhile is in the next batch, which keeps the order. When a
 * publication resolves, every in-sync replica has it.
 */
export class AcknowledgedProducer {
  private readonly log = new Logger('Kafka');
  private readonly waiting: Waiting[] = [];
  private producer: Promise<Producer> | undefined;
  private sending: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly options: AcknowledgedProducerOptions) {}

  /** @throws MessagesUnavailable; Error when it is larger than the brokers accept */
  publish(topic: string, records: readonly KafkaRecord[]): Promise<void> {
    if (this.closed) return Promise.reject(new MessagesUnavailable('Messages are closed.'));
    const largest = Math.max(0, ...records.map(bytesOf));
    if (largest > mostBytes) return Promise.reject(new Error(`A message of ${largest} bytes is too large for Kafka.`));
    return new Promise<void>((resolve, reject) => {
      const bytes = records.reduce((sum, record) => sum + bytesOf(record), 0);
      const settle = (error?: Error) => {
        publication.over = true;
        callOff();
        if (error === undefined) resolve();
        else reject(error);
      };
      const publication: Waiting = { topic, records, bytes, settle, over: false };
      const late = new MessagesUnavailable(`Kafka has not acknowledged within ${this.options.timeoutMs} ms.`);
      const callOff = this.options.clock.after(this.options.timeoutMs, () => settle(late));
      this.waiting.push(publication);
      this.sending ??= this.sendAll();
    });
  }

  /** Sends what was published before, within `graceMs`, and closes. */
  async close(graceMs: number): Promise<void> {
    this.closed = true;
    const late = new Promise<void>((resolve) => this.options.clock.after(graceMs, resolve));
    await Promise.race([this.sending, late]);
    for (const { settle } of this.waiting.splice(0)) settle(new MessagesUnavailable('Messages are closed.'));
    const leave = this.producer?.then((producer) => producer.disconnect()).catch(() => undefined);
    await Promise.race([leave, late]);
  }

  private async sendAll(): Promise<void> {
    // Lets other publications of the same tick join the batch.
    await Promise.resolve();
    for (let batch = this.next(); batch.length > 0; batch = this.next()) await this.send(batch);
    this.sending = undefined;
  }

  private next(): readonly Waiting[] {
    const batch: Waiting[] = [];
    for (let bytes = 0; batch.length < mostPublications; ) {
      const [first] = this.waiting;
      if (first === undefined || (batch.length > 0 && bytes + first.bytes > mostBytes)) break;
      this.waiting.shift();
      if (first.over) continue;
      bytes += first.bytes;
      batch.push(first);
    }
    return batch;
  }

  private async send(batch: readonly Waiting[]): Promise<void> {
    try {
      const producer = await this.connected();
      const topicMessages = batch.map(({ topic, records }) => ({ topic, messages: [...records] }));
      await producer.sendBatch({ acks: -1, timeout: 8_000, compression: CompressionTypes.None, topicMessages });
      for (const { settle } of batch) settle();
    } catch (error) {
      this.startAnew(error);
      const unavailable = new MessagesUnavailable(`Kafka cannot be reached or written now: ${reasonOf(error)}`);
      for (const { settle } of batch) settle(unavailable);
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
      createPartitioner: Partitioners.DefaultPartitioner,
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
   * Whether a failed batch was recorded is unknown, and kafkajs would reuse its sequence numbers for the next batch: the
   * brokers could take that for a repetition and drop it. A new producer has new numbers.
   */
  private startAnew(error: unknown): void {
    this.log.warn(`A batch was not acknowledged; the producer starts anew: ${reasonOf(error)}`);
    this.producer?.then((producer) => producer.disconnect()).catch(() => undefined);
    this.producer = undefined;
  }
}

function bytesOf({ key, value }: KafkaRecord): number {
  return Buffer.byteLength(key ?? '') + Buffer.byteLength(value ?? '') + 200;
}
