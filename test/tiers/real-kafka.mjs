// Runs Kafka's contract suite and fault suites on three brokers of Kafka itself, of each version, one after the other.
// `npm run test:full` ends with it. Where brokers cannot be started, it says so in one line and passes.
import { spawnSync } from 'node:child_process';
import { kafkaLines, whyNoKafkaOf } from '../support/kafka/kafka-jars.ts';
import { kafkaSpecs } from './tiers.ts';

const say = (line) => process.stdout.write(`${line}\n`);
let failed = false;
for (const line of kafkaLines) {
  const missing = whyNoKafkaOf(line);
  if (missing !== undefined) {
    say(`Skipped on Kafka ${line} itself: ${missing}`);
    continue;
  }
  say(`On three brokers of Kafka ${line}:`);
  // One at a time: each file starts brokers of its own.
  const words = ['--no-warnings', 'node_modules/jest/bin/jest.js', '--runInBand', kafkaSpecs.source];
  const { status } = spawnSync(process.execPath, words, {
    env: { ...process.env, TEST_KAFKA: line },
    stdio: 'inherit',
  });
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;
