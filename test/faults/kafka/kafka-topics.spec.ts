import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { KafkaMessages } from '../../../src/adapters/messages/kafka/kafka-messages.adapter.js';
import type { NewTopics } from '../../../src/adapters/messages/kafka/kafka-topics.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { until } from '../../contracts/messages/messages-scene.js';
import { eventually } from '../../support/eventually.js';
import { describeBrokers } from '../../support/kafka/describe-kafka.js';
import { makeTopic, operate, settingsOf } from '../../support/kafka/topics-by-hand.js';

const opened: KafkaMessages[] = [];
afterEach(() => Promise.all(opened.splice(0).map((messages) => messages.close(1_000))));

function open(brokers: string, newTopics: Partial<NewTopics> = {}) {
  const namespace = `countersign-test-${randomUUID()}`;
  const messages = new KafkaMessages({ brokers, namespace, clock: new SystemClock(), newTopics });
  opened.push(messages);
  return { messages, topic: `${namespace}.work` };
}

const one = { id: '1', key: 'a', value: {} };

async function handledBy(messages: KafkaMessages): Promise<readonly string[]> {
  const handled: string[] = [];
  await messages.consume({ topic: 'work', concurrency: 1, handle: async ({ id }) => void handled.push(id) });
  await until(() => handled.length > 0, 'the message', 60_000);
  return handled;
}

const copiesOf = async (brokers: string, topic: string) => {
  const { topics } = await operate(brokers, (admin) => admin.fetchTopicMetadata({ topics: [topic] }));
  return topics[0]?.partitions.map(({ replicas }) => replicas.length);
};

describeBrokers('topics of Kafka', (cluster) => {
  it('are created with the requested partitions, copies, retention and size', async () => {
    const { brokers } = cluster();
    const asked = { partitions: 5, replication: 2, retentionHours: 48, messageBytes: 300_000 };
    const { messages, topic } = open(brokers, asked);
    await messages.publish('work', one);
    expect(await copiesOf(brokers, topic)).toEqual([2, 2, 2, 2, 2]);
    const named = ['cleanup.policy', 'max.message.bytes', 'min.insync.replicas', 'retention.ms'];
    expect(await settingsOf(brokers, topic, ...named)).toEqual({
      'cleanup.policy': 'delete',
      'max.message.bytes': '300000',
      'min.insync.replicas': '1',
      'retention.ms': String(48 * 3_600_000),
    });
  }, 60_000);

  it('that were created with fewer copies are used as they are, with a warning', async () => {
    const { brokers } = cluster();
    const { messages, topic } = open(brokers);
    await makeTopic(brokers, { topic, numPartitions: 2, replicationFactor: 1 });
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    try {
      await messages.publish('work', one);
      expect(warn.mock.calls.map(([said]) => said)).toEqual([
        `Kafka topic ${topic} has 1 replicas instead of 3: messages can be lost if a broker fails. Reassign its partitions, or lower KAFKA_TOPIC_REPLICATION.`,
      ]);
    } finally {
      warn.mockRestore();
    }
    expect(await copiesOf(brokers, topic)).toEqual([1, 1]);
    expect(await handledBy(messages)).toEqual(['1']);
  }, 90_000);

  it('that are new get each message once, although brokers learn their leaders one by one', async () => {
    for (let n = 0; n < 10; n++) {
      const { messages, topic } = open(cluster().brokers);
      const all = Array.from({ length: 300 }, (_, at) => ({ id: `${at}`, key: `key-${at % 12}`, value: {} }));
      await Promise.all(all.map((message) => messages.publish('work', message)));
      const offsets = await operate(cluster().brokers, (admin) => admin.fetchTopicOffsets(topic));
      expect(offsets.reduce((sum, { high }) => sum + Number(high), 0)).toBe(300);
    }
  }, 120_000);

  it('of others that have lost their leader do not affect ours', async () => {
    const { brokers } = cluster();
    const { messages } = open(brokers);
    await messages.publish('work', one);
    const others = `somebody.elses-${randomUUID()}`;
    const onlyThere = { topic: others, replicaAssignment: [{ partition: 0, replicas: [3] }] };
    await makeTopic(brokers, onlyThere);
    await cluster().kill(3);
    try {
      const asked = () =>
        operate(brokers, (admin) => admin.fetchTopicMetadata({ topics: [others] })).then(() => 'has a leader', String);
      await eventually(asked, (said) => /no leader/i.test(said));
      await messages.check();
      await messages.publish('work', { ...one, id: '2' });
      const made = open(brokers);
      await made.messages.publish('work', one);
      await made.messages.check();
      expect(await handledBy(made.messages)).toEqual(['1']);
    } finally {
      await cluster().bringUp(3);
    }
  }, 180_000);
});

describeBrokers(
  'Kafka brokers that start one by one',
  (cluster) => {
    it('are awaited: no topic is created with fewer copies than requested', async () => {
      const { brokers } = cluster();
      const { messages, topic } = open(brokers);
      await expect(messages.publish('work', one)).rejects.toThrow(
        `Kafka topic ${topic} needs 3 replicas, but fewer brokers are running: start more brokers, or lower KAFKA_TOPIC_REPLICATION.`,
      );
      await expect(copiesOf(brokers, topic)).rejects.toThrow('does not host this topic-partition');
      await Promise.all([cluster().bringUp(2), cluster().bringUp(3)]);
      const published = () =>
        messages.publish('work', one).then(
          () => true,
          () => false,
        );
      await eventually(published, Boolean);
      expect(await copiesOf(brokers, topic)).toEqual(Array.from({ length: 12 }, () => 3));
    }, 180_000);
  },
  { alone: true },
);
