// Runs Kafka's contract suite and fault suites on three real brokers of each version, one version after the other. `npm
// run test:full` ends with it. If brokers cannot be started, it prints that and passes.
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
  // One at a time, because each file starts brokers of its own.
  const words = ['--no-warnings', 'node_modules/jest/bin/jest.js', '--runInBand', kafkaSpecs.source];
  const { status } = spawnSync(process.execPath, words, {
    env: { ...process.env, TEST_KAFKA: line },
    stdio: 'inherit',
  });
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;
