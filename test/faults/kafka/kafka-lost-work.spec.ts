import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { readKafkaAddress } from '../../../src/adapters/messages/kafka/kafka-address.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { Clock } from '../../../src/ports/clock.port.js';
import type { TestApp } from '../../support/app.js';
import { runnerWork } from '../../support/automations/runner-work.js';
import { eventually } from '../../support/eventually.js';
import { describeKafka } from '../../support/kafka/describe-kafka.js';
import { kafkaLine } from '../../support/kafka/mock-cluster.js';
import { freePort } from '../../support/mail/free-port.js';
import { type Processes, startProcesses } from '../../support/processes.js';
import { type AssistantServer, startAssistantServer, writes } from '../../support/servers/assistant-server.js';

/** A clock 70 seconds ahead, so that the look-up for work that has waited more than a minute finds it. */
class ClockAhead extends SystemClock {
  override now(): number {
    return super.now() + 70_000;
  }
}
const ahead = [{ provide: Clock, useValue: new ClockAhead() }];

describeKafka((cluster) => {
  let processes: Processes;
  let assistant: AssistantServer;
  /** The present api process. `api` forwards to it. */
  let answering: TestApp;
  const api = new Proxy({} as TestApp, { get: (_, member) => Reflect.get(answering, member) });
  let running: TestApp[];
  let mailPort: number;
  let namespace: string;
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
    await startAll();
  }, 120_000);
  afterEach(async () => {
    await processes.close();
    await assistant.close();
    await admin.disconnect();
  }, 120_000);

  /** Starts all roles except the runner. */
  async function startAll(more: Readonly<Record<string, string>> = {}): Promise<void> {
    running = [];
    for (const roles of ['projections', 'scheduler', 'sagas']) running.push(await processes.start(roles, more));
    running.push(await processes.start('mail-in', { ...more, SMTP_IN_PORT: String(mailPort) }));
    answering = await processes.start('api', more);
    running.push(answering);
  }

  /** Accepts work and waits until it is on the brokers. No runner is started. */
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

  it('finds all work that was accepted before a change of the namespace, and does it once', async () => {
    const work = await beginWork(6);
    // Stops all processes, because processes whose settings differ refuse to work together.
    for (const one of running.reverse()) await one.close();
    const other = { KAFKA_NAMESPACE: `${namespace}-other` };
    await startAll(other);
    await processes.start('runner', other, ahead);
    expect(await work.over()).toEqual(each(6));
  }, 240_000);

  // The stand-in cannot delete topics.
  (kafkaLine() === undefined ? it.skip : it)(
    'finds all work that was accepted before its topics were deleted, and does it once',
    async () => {
      const work = await beginWork(6);
      await admin.deleteTopics({ topics: [...topics()] });
      const isThere = (topic: string) =>
        admin.fetchTopicMetadata({ topics: [topic] }).then(
          () => true,
          () => false,
        );
      const left = () => Promise.all(topics().map(isThere));
      await eventually(left, (all) => !all.includes(true), 60_000);
      await processes.start('runner', {}, ahead);
      expect(await work.over()).toEqual(each(6));
    },
    300_000,
  );
});
