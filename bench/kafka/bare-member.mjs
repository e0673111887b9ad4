// Bare kafkajs: either a consumer of `topics` topics that reports its messages to its parent, or an idle process.
import { Kafka, logLevel } from 'kafkajs';

const [brokers, group, topics] = process.argv.slice(2);
const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
const producer = kafka.producer({ idempotent: true });
await producer.connect();
for (const topic of topics.split(',')) {
  const consumer = kafka.consumer({ groupId: `${group}-${topic}`, maxWaitTimeInMs: 1_000 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const joined = new Promise((resolve) => consumer.on('consumer.group_join', resolve));
  await consumer.run({
    eachMessage: async ({ message }) => process.send?.({ id: String(message.key), at: Date.now() }),
  });
  await joined;
}
process.send?.({ ready: true });
process.on('disconnect', () => process.exit());
