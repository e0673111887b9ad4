import { randomUUID } from 'node:crypto';
import { KafkaMessages } from '../../src/adapters/messages/kafka/kafka-messages.adapter.js';
import { SystemClock } from '../../src/adapters/system/system-clock.adapter.js';
import { describeKafka } from '../support/kafka/describe-kafka.js';
import { messagesContract } from './messages.contract.js';

describeKafka((cluster) => {
  messagesContract('kafka', async () => {
    const messages = new KafkaMessages({
      brokers: cluster().brokers,
      clock: new SystemClock(),
      namespace: `countersign-test-${randomUUID()}`,
    });
    return { messages, againWithinMs: 6_000, close: () => messages.close(0) };
  });
});
