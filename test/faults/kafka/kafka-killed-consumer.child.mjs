// Consumes until it is killed, and prints which messages it begins and finishes.
import { setTimeout } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { KafkaMessages } from '../../../dist/src/adapters/messages/kafka/kafka-messages.adapter.js';
import { SystemClock } from '../../../dist/src/adapters/system/system-clock.adapter.js';
import { acknowledge } from '../../support/acknowledge.mjs';

Logger.overrideLogger(['error']);
const [brokers, namespace] = process.argv.slice(2);
const messages = new KafkaMessages({ brokers, namespace, clock: new SystemClock(), sessionTimeoutMs: 6_000 });
await messages.consume({
  topic: 'work',
  concurrency: 6,
  handle: async ({ key, value }) => {
    acknowledge(`begun ${key} ${value.n}`);
    await setTimeout(15);
    acknowledge(`done ${key} ${value.n}`);
  },
});
acknowledge('consuming');
