import { Logger } from '@nestjs/common';
import { type KafkaCluster, openCluster, whyNoKafka } from './mock-cluster.js';

/** Specs over brokers: they run when there are any, and else say once why they do not. */
export function describeKafka(specs: (cluster: () => KafkaCluster) => void): void {
  const missing = whyNoKafka();
  if (missing !== undefined) {
    describe.skip('kafka', () => it(missing, () => undefined));
    return;
  }
  describe('kafka', () => {
    let cluster: KafkaCluster;
    beforeAll(async () => {
      // Brokers that are cut off and come back have a lot to say.
      Logger.overrideLogger(['error']);
      cluster = await openCluster();
    });
    afterAll(() => cluster.stop());
    specs(() => cluster);
  });
}
