import { Logger } from '@nestjs/common';
import { whyNoBrokers } from './kafka-jars.js';
import { type KafkaCluster, kafkaLine, openCluster, whyNoKafka } from './mock-cluster.js';
import { type ClientListener, RealCluster } from './real-cluster.js';

/** For tests of what real brokers cannot be made to do on demand. */
export const itOnStandIn = process.env['KAFKA_BROKERS'] || process.env['TEST_KAFKA'] ? it.skip : it;

/** Runs specs with brokers. Without brokers, the specs are skipped with a single note about the reason. */
export function describeKafka(specs: (cluster: () => KafkaCluster) => void): void {
  const missing = whyNoKafka();
  if (missing !== undefined) {
    describe.skip('kafka', () => it(missing, () => undefined));
    return;
  }
  describe('kafka', () => {
    let cluster: KafkaCluster;
    beforeAll(async () => {
      // Brokers that are cut off and return cause many log lines.
      Logger.overrideLogger(['error']);
      cluster = await openCluster();
    }, 120_000);
    afterAll(() => cluster.stop());
    specs(() => cluster);
  });
}

/** Runs specs that need Apache Kafka itself, and so TEST_KAFKA. */
export function describeBrokers(
  name: string,
  specs: (cluster: () => RealCluster) => void,
  { listener, alone }: { readonly listener?: ClientListener; readonly alone?: boolean } = {},
) {
  const line = kafkaLine();
  const missing = line === undefined ? 'need TEST_KAFKA=3.9 or 4.1' : whyNoBrokers([line]);
  if (line === undefined || missing !== undefined) {
    describe.skip(name, () => it(missing ?? '', () => undefined));
    return;
  }
  describe(name, () => {
    let cluster: RealCluster;
    beforeAll(async () => {
      Logger.overrideLogger(['error']);
      cluster = await RealCluster.start(line, listener, alone);
    }, 120_000);
    afterAll(() => cluster.stop());
    specs(() => cluster);
  });
}
