import { randomUUID } from 'node:crypto';
import { kafkaClient } from '../../../src/adapters/messages/kafka/kafka-client.js';
import { KafkaMessages } from '../../../src/adapters/messages/kafka/kafka-messages.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { until } from '../../contracts/messages/messages-scene.js';
import { describeBrokers } from '../../support/kafka/describe-kafka.js';

describeBrokers('Kafka, when an operator gives a topic more partitions', (cluster) => {
  const opened: KafkaMessages[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((messages) => messages.close(1_000))));

  it('lets existing consumers handle messages in the new ones', async () => {
    const namespace = `countersign-test-${randomUUID()}`;
    const { brokers } = cluster();
    const open = (partitions: number) => {
      const newTopics = { partitions };
      const messages = new KafkaMessages({ brokers, namespace, clock: new SystemClock(), newTopics });
      opened.push(messages);
      return messages;
    };
    const handled = new Set<string>();
    const first = open(2);
    await first.consume({ topic: 'work', concurrency: 8, handle: async ({ id }) => void handled.add(id) });
    const publish = (messages: KafkaMessages, from: number) =>
      Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          messages.publish('work', { id: `${from + n}`, key: `key-${from + n}`, value: {} }),
        ),
      );
    await publish(first, 0);
    await until(() => handled.size === 40, 'what was published before', 30_000);
    const admin = kafkaClient({ brokers }).admin();
    await admin.connect();
    await admin.createPartitions({ topicPartitions: [{ topic: `${namespace}.work`, count: 12 }] });
    await admin.disconnect();
    await publish(open(12), 40);
    await until(() => handled.size === 80, 'what is in the new partitions too', 90_000);
  }, 180_000);
});
