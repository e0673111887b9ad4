import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { readKafkaAddress } from '../../src/adapters/messages/kafka/kafka-address.js';
import { SystemClock } from '../../src/adapters/system/system-clock.adapter.js';
import { Clock } from '../../src/ports/clock.port.js';
import type { TestApp } from '../support/app.js';
import { type AssistantServer, startAssistantServer, writes } from '../support/assistant-server.js';
import { eventually } from '../support/eventually.js';
import { describeKafka } from '../support/kafka/describe-kafka.js';
import { kafkaLine } from '../support/kafka/mock-cluster.js';
import { freePort } from '../support/mail/free-port.js';
import { type Processes, startProcesses } from '../support/processes.js';
import { runnerWork } from '../support/runner-work.js';

/** What was queued a moment ago has been queued for more than a minute. */
class ClockAhead extends SystemClock {
  override now(): number {
    return super.now() + 70_000;
  }
}
const ahead = [{ provide: Clock, useValue: new ClockAhead() }];

describeKafka((cluster) => {
  let processes: Processes;
  let assistant: AssistantServer;
  let api: TestApp;
  let mailPort: number;
  let namespace: string;
  let sagas: TestApp;
  let admin: Admin;
  const topics = () => ['flow-steps', 'agent-steps', 'inbound-mail'].map((topic) => `${namespace}.${topic}`);
  beforeEach(async () => {
    const { brokers, ...security } = readKafkaAddress(cluster().brokers);
    admin = new Kafka({ brokers, ...security, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    assistant = await startAssistantServer();
    assistant.plays(writes('Done.'));
    mailPort = await freePort();
    namespace = `countersign-${randomUUID()}`;
    processes = await startProcesses({
      MESSAGES: 'kafka',
      KAFKA_BROKERS: cluster().brokers,
      KAFKA_NAMESPACE: namespace,
      ASSISTANT_URL: assistant.url,
      ASSISTANT_MODEL: 'model-1',
    });
    await processes.start('projections');
    await processes.start('scheduler');
    sagas = await processes.start('sagas');
    await processes.start('mail-in', { SMTP_IN_PORT: String(mailPort) });
    api = await processes.start('api');
  }, 120_000);
  afterEach(async () => {
    await processes.close();
    await assistant.close();
    await admin.disconnect();
  }, 120_000);

  /** Accepted, and on the brokers, while there is no runner. */
  async function beginWork(count: number) {
    const work = await runnerWork(api, mailPort, 'return 1');
    await work.begin(count);
    const published = async () => {
      const offsets = await Promise.all(topics().map((topic) => admin.fetchTopicOffsets(topic).catch(() => [])));
      return offsets.map((partitions) => partitions.reduce((sum, { high }) => sum + Number(high), 0));
    };
    await eventually(published, (counts) => counts.every((number) => number >= count), 60_000);
    return work;
  }

  const each = (count: number) => ({
    mails: ['ok'],
    triggerRuns: ['ok'],
    events: count,
    functionRuns: [count, count, count],
    aiCredits: 100 - count,
  });

  it('finds all that was accepted before the namespace was another one, and does it once', async () => {
    const work = await beginWork(6);
    await sagas.close();
    const other = { KAFKA_NAMESPACE: `${namespace}-other` };
    await processes.start('sagas', other);
    await processes.start('runner', other, ahead);
    expect(await work.over()).toEqual(each(6));
  }, 240_000);

  // The stand-in deletes no topics.
  (kafkaLine() === undefined ? it.skip : it)(
    'finds all that was accepted before its topics were deleted, and does it once',
    async () => {
      const work = await beginWork(6);
      await admin.deleteTopics({ topics: [...topics()] });
      await eventually(
        () => admin.listTopics(),
        (left) => !left.some((topic) => topics().includes(topic)),
        60_000,
      );
      await processes.start('runner', {}, ahead);
      expect(await work.over()).toEqual(each(6));
    },
    300_000,
  );
});
