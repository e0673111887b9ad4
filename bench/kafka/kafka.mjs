// Runs handed over by three real Kafka brokers, compared with bare kafkajs on the same brokers. Then kill -9 of brokers
// and of runners under load. Needs Java 17 and Maven. `--part kills` selects a part, and TEST_KAFKA the version.
import { whyNoKafkaOf } from '../../test/support/kafka/kafka-jars.ts';
import { Missing } from '../support/servers.mjs';
import { handedOver } from './handed-over.mjs';
import { killed } from './killed.mjs';
import { rebalances } from './rebalances.mjs';

const parts = { 'handed-over': handedOver, rebalances, kills: killed };

export async function kafka({ part } = {}) {
  if (part !== undefined && !Object.hasOwn(parts, part)) {
    throw new Error(`There is no part '${part}'; there are: ${Object.keys(parts).join(', ')}.`);
  }
  process.env['TEST_KAFKA'] ||= '4.1';
  const missing = whyNoKafkaOf(process.env['TEST_KAFKA']);
  if (missing !== undefined) throw new Missing(missing);
  process.stdout.write(`\nthree brokers of Kafka ${process.env['TEST_KAFKA']}\n`);
  for (const [name, measure] of Object.entries(parts)) if (part === undefined || part === name) await measure();
}
