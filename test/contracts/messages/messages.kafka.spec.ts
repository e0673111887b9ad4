import { randomUUID } from 'node:crypto';
import { KafkaEventPublisher } from '../../../src/adapters/messages/kafka/kafka-event-publisher.adapter.js';
import { KafkaMessages } from '../../../src/adapters/messages/kafka/kafka-messages.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { specMetadata } from '../../support/given/given.js';
import { describeKafka } from '../../support/kafka/describe-kafka.js';
import { messagesContract } from './messages.contract.js';
import { until } from './messages-scene.js';

describeKafka((cluster) => {
  const open = (namespace = `countersign-test-${randomUUID()}`) =>
    new KafkaMessages({ brokers: cluster().brokers, clock: new SystemClock(), namespace });

  messagesContract('kafka', async () => {
    const messages = open();
    return { messages, againWithinMs: 6_000, close: () => messages.close(0) };
  });

  it('ignores messages published for another log', async () => {
    const namespace = `countersign-test-${randomUUID()}`;
    const [ours, others, before] = [open(namespace), open(namespace), open(namespace)];
    try {
      ours.belongTo('log_ours');
      others.belongTo('log_others');
      const one = (id: string) => ({ id, key: 'a', value: {} });
      await others.publish('work', one('of another log'));
      // Earlier versions did not name a log in their messages.
      await before.publish('work', one('of no log'));
      await ours.publish('work', one('ours'));
      const handled: string[] = [];
      await ours.consume({ topic: 'work', concurrency: 1, handle: async ({ id }) => void handled.push(id) });
      await until(() => handled.includes('ours'), 'the own message', 30_000);
      expect(handled).toEqual(['of no log', 'ours']);
      await until(() => ours.waiting('work') === 0, 'the end of the topic');
    } finally {
      await Promise.all([ours, others, before].map((messages) => messages.close(0)));
    }
  }, 60_000);

  it('names the log of an event in the CloudEvents source', async () => {
    const messages = open();
    messages.belongTo('log_ours');
    const told: unknown[] = [];
    const publisher = new KafkaEventPublisher({
      source: messages.source,
      publishEvents: async (_topic, events) => void told.push(...events.map(({ event }) => event.source)),
    });
    const event = { id: 'e', type: 'Happened', data: {}, stream: 'specs-ws_1.a', revision: 0, position: 7 };
    await publisher.publish('events', [{ ...event, metadata: specMetadata() }]);
    expect(told).toEqual(['/countersign/log_ours']);
    await messages.close(0);
  });
});
