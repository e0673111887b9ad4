import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  CompressionTypes,
  type ICustomPartitioner,
  type Kafka,
  type Message,
  type PartitionMetadata,
  type ProducerBatch,
} from 'kafkajs';
import { MadeUpClock } from '../../../../../test/support/clocks/made-up-clock.js';
import { MessagesUnavailable } from '../../../../ports/messages.port.js';
import { AcknowledgedProducer, fitsKafka } from './acknowledged-producer.js';

const brokersMost = 1_048_588;

class Broker {
  readonly recorded: Message[] = [];
  readonly requests: number[] = [];
  refusals = 0;
  takes = brokersMost;
  /** The next `omissions` responses omit the partition, as those of kafkajs can when a partition's leader changes. */
  omissions = 0;

  kafka(): Kafka {
    const [connect, disconnect] = [async () => undefined, async () => undefined];
    const producer = ({ createPartitioner }: { readonly createPartitioner: ICustomPartitioner }) => {
      const choose = createPartitioner();
      return { connect, disconnect, sendBatch: (batch: ProducerBatch) => this.sendBatch(batch, choose) };
    };
    return { producer } as unknown as Kafka;
  }

  private async sendBatch({ topicMessages = [], compression }: ProducerBatch, choose: ReturnType<ICustomPartitioner>) {
    const messages = topicMessages.flatMap((one) => one.messages);
    const bytes = Buffer.from(messages.map(({ key, value }) => `${key}${value}`).join(''));
    const sent = compression === CompressionTypes.GZIP ? gzipSync(bytes).length : bytes.length;
    this.requests.push(sent);
    if (this.refusals > 0 || sent > this.takes) {
      this.refusals -= 1;
      throw Object.assign(new Error('The batch is too large.'), {
        type: 'MESSAGE_TOO_LARGE',
        code: 10,
        retriable: false,
      });
    }
    this.recorded.push(...messages);
    const partitionMetadata = [{ partitionId: 0, leader: 1 }] as PartitionMetadata[];
    const answer = topicMessages.flatMap(({ topic, messages: some }) =>
      some.map((message) => ({ topicName: topic, partition: choose({ topic, partitionMetadata, message }) })),
    );
    this.omissions -= 1;
    return this.omissions >= 0 ? [] : answer;
  }
}

let broker: Broker;
let clock: MadeUpClock;
let producer: AcknowledgedProducer;
let most: number;
const produce = (timeoutMs: number) =>
  new AcknowledgedProducer({
    kafka: broker.kafka(),
    clock,
    timeoutMs,
    mostBytesOf: () => most,
    wasTooLarge: async () => {
      most = Math.floor(most / 2);
    },
  });
beforeEach(() => {
  broker = new Broker();
  clock = new MadeUpClock();
  most = brokersMost;
  producer = produce(10_000);
});

const random = (bytes: number) =>
  randomBytes(Math.ceil((bytes * 3) / 4))
    .toString('base64')
    .slice(0, bytes);
const record = (key: string, value: string) => ({ key, value });
const keysRecorded = () => broker.recorded.map(({ key }) => String(key));

describe('a publication', () => {
  it("of more than a batch's maximum is sent in several, in order", async () => {
    const records = Array.from({ length: 20 }, (_, n) => record(`k${n}`, random(250_000)));
    await producer.publish('events', records);
    expect(keysRecorded()).toEqual(records.map(({ key }) => key));
    expect(Math.max(...broker.requests)).toBeLessThanOrEqual(brokersMost);
  });

  it('of many small records is sent in several, in order, beside others', async () => {
    const records = Array.from({ length: 500 }, (_, n) => record(`a${n}`, random(10_000)));
    await Promise.all([producer.publish('events', records), producer.publish('work', [record('b', 'x')])]);
    expect(keysRecorded()).toEqual([...records.map(({ key }) => key), 'b']);
  });

  it('is rejected with the first piece that is not acknowledged, and no later piece is sent', async () => {
    broker.refusals = 1;
    const records = Array.from({ length: 10 }, (_, n) => record(`k${n}`, random(400_000)));
    await expect(producer.publish('events', records)).rejects.toBeInstanceOf(MessagesUnavailable);
    await producer.publish('events', [record('after', 'x')]);
    expect(keysRecorded()).toEqual(['after']);
  });

  it('with a record that fits only when it is compressed is sent', async () => {
    const text = '\u000b'.repeat(300_000);
    const large = record('k', JSON.stringify({ code: text }));
    expect(large.value.length).toBeGreaterThan(brokersMost);
    await producer.publish('events', [record('before', 'x'), large, record('after', 'x')]);
    expect(keysRecorded()).toEqual(['before', 'k', 'after']);
  });

  it('with a record that never fits is refused, and delays no other', async () => {
    const tooLarge = record('k', random(2_000_000));
    expect(fitsKafka(tooLarge, brokersMost)).toBe(false);
    await expect(producer.publish('events', [tooLarge])).rejects.toThrow(/is too large for Kafka/);
    await producer.publish('events', []);
    await producer.publish('events', [record('after', 'x')]);
    expect(keysRecorded()).toEqual(['after']);
  });

  it("is divided by the brokers' maximum once they have refused a batch", async () => {
    broker.takes = 300_000;
    const records = Array.from({ length: 10 }, (_, n) => record(`k${n}`, random(100_000)));
    for (let tries = 1; broker.recorded.length === 0; tries++) {
      expect(tries).toBeLessThan(5);
      await producer.publish('events', records).catch((error) => expect(error).toBeInstanceOf(MessagesUnavailable));
    }
    expect(keysRecorded()).toEqual(records.map(({ key }) => key));
    expect(Math.max(...broker.requests.slice(-5))).toBeLessThanOrEqual(broker.takes);
  });

  it('shares no request with more of its topic than brokers accept', async () => {
    broker.takes = most = 100_000;
    await Promise.all(['a', 'b', 'c'].map((key) => producer.publish('events', [record(key, random(80_000))])));
    expect(keysRecorded()).toEqual(['a', 'b', 'c']);
  });

  it('of which a part is left out is sent again before anything else, until it is acknowledged as a whole', async () => {
    broker.omissions = 2;
    const first = producer.publish('work', [record('a', 'x'), record('b', 'x')]);
    await settled();
    const second = producer.publish('work', [record('c', 'x')]);
    for (let n = 0; n < 2; n++) {
      clock.advance(1_000);
      await settled();
    }
    await Promise.all([first, second]);
    expect(keysRecorded()).toEqual(['a', 'b', 'a', 'b', 'a', 'b', 'c']);
  });

  it('with no waiting caller is not sent again', async () => {
    broker.omissions = 1;
    const short = produce(50);
    const late = short.publish('work', [record('a', 'x')]);
    await settled();
    const refused = expect(late).rejects.toThrow('Kafka did not acknowledge the messages within 50 ms.');
    clock.advance(60);
    await refused;
    clock.advance(1_000);
    await short.publish('work', [record('b', 'x')]);
    expect(keysRecorded()).toEqual(['a', 'b']);
  });

  it('of which a part is left out again and again is rejected with the reason', async () => {
    broker.omissions = 100;
    const refused = expect(producer.publish('work', [record('a', 'x')])).rejects.toThrow(
      'Kafka cannot be reached or written to: Some partitions have not acknowledged.',
    );
    for (let n = 0; n < 8; n++) {
      await settled();
      clock.advance(1_600);
    }
    await refused;
  });
});

const settled = () => new Promise(setImmediate);
