import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { KafkaMessages } from '../../../src/adapters/messages/kafka/kafka-messages.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import type { MessagesLoad } from '../../../src/ports/messages.port.js';
import { eventually } from '../../support/eventually.js';
import { CuttableSockets } from '../../support/kafka/cuttable-sockets.js';
import { numbered } from '../../support/kafka/deliveries.js';
import { describeKafka } from '../../support/kafka/describe-kafka.js';

describeKafka((cluster) => {
  let namespace: string;
  let sockets: CuttableSockets;
  const open: KafkaMessages[] = [];
  beforeEach(() => {
    namespace = `countersign-test-${randomUUID()}`;
    sockets = new CuttableSockets();
  });
  afterEach(async () => {
    sockets.comeBack();
    await Promise.all(open.splice(0).map((one) => one.close(0)));
  });

  function process(): KafkaMessages {
    const made = new KafkaMessages({
      brokers: cluster().brokers,
      namespace,
      clock: new SystemClock(),
      socketFactory: sockets.factory,
      mostQueued: 20,
      publishTimeoutMs: 5_000,
    });
    open.push(made);
    return made;
  }
  const shareIn = ({ topics }: MessagesLoad) => topics[0]?.share ?? { all: 0, assigned: 0, paused: 0, rebalances: 0 };

  it('reports all waiting messages, also in partitions that are paused', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const messages = process();
    const all = numbered(1, 200);
    await Promise.all(all.slice(0, 100).map((message) => messages.publish('work', message)));
    await messages.consume({ topic: 'work', concurrency: 4, handle: () => released });
    await eventually(
      () => messages.load(),
      (load) => shareIn(load).paused === 1,
    );
    await Promise.all(all.slice(100).map((message) => messages.publish('work', message)));
    const { topics } = await eventually(
      () => messages.load(),
      (load) => load.topics[0]?.waiting === 200,
    );
    expect(topics.map(({ topic }) => topic)).toEqual(['work']);
    release();
    await eventually(
      () => messages.load(),
      (load) => load.topics[0]?.waiting === 0 && shareIn(load).paused === 0,
    );
  }, 90_000);

  it('reports the partitions of each process, and each rebalance', async () => {
    const [one, other] = [process(), process()];
    const handle = async () => undefined;
    await one.consume({ topic: 'work', concurrency: 1, handle });
    const alone = await eventually(
      () => one.load(),
      (load) => shareIn(load).assigned > 0,
    );
    expect(shareIn(alone)).toEqual({
      all: shareIn(alone).assigned,
      assigned: shareIn(alone).all,
      paused: 0,
      rebalances: 1,
    });
    await other.consume({ topic: 'work', concurrency: 1, handle });
    const both = await eventually(
      async () => [shareIn(await one.load()), shareIn(await other.load())] as const,
      ([first, second]) => second.assigned > 0 && first.assigned + second.assigned === first.all,
    );
    expect(both.map(({ all }) => all)).toEqual([shareIn(alone).all, shareIn(alone).all]);
    expect(both[0].rebalances).toBeGreaterThan(1);
  }, 90_000);

  it('counts unacknowledged messages', async () => {
    const messages = process();
    await messages.publish('work', { id: 'a', key: 'k', value: {} });
    expect((await messages.load()).notAcknowledged).toBe(0);
    sockets.goAway();
    await expect(messages.publish('work', { id: 'b', key: 'k', value: {} })).rejects.toThrow();
    expect((await messages.load()).notAcknowledged).toBe(1);
  }, 60_000);
});
