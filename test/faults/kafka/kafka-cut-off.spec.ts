import { randomUUID } from 'node:crypto';
import { KafkaMessages } from '../../../src/adapters/messages/kafka/kafka-messages.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { type Message, MessagesUnavailable } from '../../../src/ports/messages.port.js';
import { until } from '../../contracts/messages/messages-scene.js';
import { takes } from '../../support/clocks/delays.js';
import { CuttableSockets } from '../../support/kafka/cuttable-sockets.js';
import { Deliveries, numbered } from '../../support/kafka/deliveries.js';
import { describeKafka } from '../../support/kafka/describe-kafka.js';

describeKafka((cluster) => {
  let sockets: CuttableSockets;
  let messages: KafkaMessages;
  let deliveries: Deliveries;
  beforeEach(() => {
    sockets = new CuttableSockets();
    deliveries = new Deliveries();
    messages = new KafkaMessages({
      brokers: cluster().brokers,
      namespace: `countersign-test-${randomUUID()}`,
      clock: new SystemClock(),
      socketFactory: sockets.factory,
      publishTimeoutMs: 4_000,
      sessionTimeoutMs: 6_000,
    });
  });
  afterEach(() => messages.close(500));

  const consume = (concurrency = 8) =>
    messages.consume({
      topic: 'work',
      concurrency,
      handle: async ({ key, value }) => {
        await takes(2);
        deliveries.add(key, Number(value['n']));
      },
    });

  /** Publishes messages in order, like a saga: after a failure, it continues with the message that failed. */
  async function publishStubbornly(all: readonly Message[], onRefusal: (error: unknown) => void): Promise<void> {
    for (let from = 0; from < all.length; ) {
      const some = all.slice(from, from + 50);
      const outcomes = await Promise.allSettled(some.map((message) => messages.publish('work', message)));
      const failed = outcomes.find(({ status }) => status === 'rejected');
      if (failed === undefined) from += some.length;
      else onRefusal((failed as PromiseRejectedResult).reason);
    }
  }

  it('reports in time that it cannot publish, and continues when the brokers are back', async () => {
    await messages.publish('work', { id: 'before', key: 'a', value: { n: 0 } });
    sockets.goAway();
    const began = Date.now();
    await expect(messages.publish('work', { id: 'away', key: 'a', value: { n: 1 } })).rejects.toThrow(
      MessagesUnavailable,
    );
    await expect(messages.check()).rejects.toThrow(MessagesUnavailable);
    expect(Date.now() - began).toBeLessThan(10_000);
    sockets.comeBack();
    await messages.publish('work', { id: 'after', key: 'a', value: { n: 2 } });
    await expect(messages.check()).resolves.toBeUndefined();
  });

  it('loses nothing acknowledged if connections are cut again and again', async () => {
    await consume();
    const refusals: unknown[] = [];
    const cutting = setInterval(() => sockets.cut(), 700);
    const all = numbered(50, 40);
    await publishStubbornly(all, (error) => refusals.push(error));
    clearInterval(cutting);
    await until(() => deliveries.different === all.length, 'every message', 60_000);
    expect(deliveries.outOfOrder()).toEqual([]);
    expect(refusals.every((error) => error instanceof MessagesUnavailable)).toBe(true);
  }, 120_000);

  it('loses nothing with brokers that answer slowly', async () => {
    sockets.answerLate(700);
    await consume();
    const all = numbered(10, 20);
    await publishStubbornly(all, () => undefined);
    await until(() => deliveries.different === all.length, 'every message', 90_000);
    expect(deliveries.outOfOrder()).toEqual([]);
    await expect(messages.check()).resolves.toBeUndefined();
  }, 120_000);

  it('consumes again by itself when the brokers are back after a while', async () => {
    await consume();
    const all = numbered(20, 20);
    await publishStubbornly(all.slice(0, 200), () => undefined);
    await until(() => deliveries.different === 200, 'the first half', 30_000);
    sockets.goAway();
    // Longer than the session timeout of consumers.
    await takes(8_000);
    sockets.comeBack();
    await publishStubbornly(all.slice(200), () => undefined);
    await until(() => deliveries.different === all.length, 'the second half', 60_000);
    expect(deliveries.outOfOrder()).toEqual([]);
  }, 120_000);

  it('begins to consume when the brokers start, if they were away at its start', async () => {
    sockets.goAway();
    await consume();
    sockets.comeBack();
    await publishStubbornly(numbered(2, 2), () => undefined);
    await until(() => deliveries.different === 4, 'every message', 60_000);
  }, 90_000);
});
