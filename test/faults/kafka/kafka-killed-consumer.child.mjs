// Consumes until it is killed, and prints which messages it begins and finishes.
import { writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { KafkaMessages } from '../../../dist/src/adapters/messages/kafka/kafka-messages.adapter.js';
import { SystemClock } from '../../../dist/src/adapters/system/system-clock.adapter.js';

Logger.overrideLogger(['error']);
const [brokers, namespace] = process.argv.slice(2);
const messages = new KafkaMessages({ brokers, namespace, clock: new SystemClock(), sessionTimeoutMs: 6_000 });
await messages.consume({
  topic: 'work',
  concurrency: 6,
  handle: async ({ key, value }) => {
    writeSync(1, `begun ${key} ${value.n}\n`);
    await setTimeout(15);
    writeSync(1, `done ${key} ${value.n}\n`);
  },
});
writeSync(1, 'consuming\n');
