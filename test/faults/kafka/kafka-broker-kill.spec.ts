import { randomUUID } from 'node:crypto';
import { KafkaMessages } from '../../../src/adapters/messages/kafka/kafka-messages.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { MessagesUnavailable } from '../../../src/ports/messages.port.js';
import { until } from '../../contracts/messages/messages-scene.js';
import { randomMoment, takes } from '../../support/clocks/delays.js';
import { Deliveries } from '../../support/kafka/deliveries.js';
import { describeBrokers } from '../../support/kafka/describe-kafka.js';

/** Long enough for leader elections and for coordinators to forget dead members, in milliseconds. */
const patienceMs = 120_000;

describeBrokers('Kafka, when a broker is killed', (cluster) => {
  const opened: KafkaMessages[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((messages) => messages.close(2_000))));

  const scene = (more = {}) => {
    const namespace = `countersign-test-${randomUUID()}`;
    const deliveries = new Deliveries();
    const open = () => {
      const messages = new KafkaMessages({ brokers: cluster().brokers, namespace, clock: new SystemClock(), ...more });
      opened.push(messages);
      return messages;
    };
    const join = () =>
      open().consume({
        topic: 'work',
        concurrency: 8,
        handle: async ({ key, value }) => {
          await randomMoment(0, 10);
          deliveries.add(key, Number(value['n']));
        },
      });
    return { deliveries, open, join };
  };

  /**
   * Publishes messages of each key in order, like a saga: the next one only after the broker has acknowledged the one
   * before.
   */
  function publishUntilStopped(publisher: KafkaMessages, keys: number) {
    const acknowledged: string[] = [];
    const refusals: unknown[] = [];
    let stopped = false;
    const lanes = Array.from({ length: keys }, async (_, lane) => {
      for (let n = 0; !stopped; ) {
        try {
          await publisher.publish('work', { id: `key-${lane}-${n}`, key: `key-${lane}`, value: { n } });
          acknowledged.push(`key-${lane} ${n}`);
          n += 1;
          await takes(20);
        } catch (error) {
          refusals.push(error);
          await takes(100);
        }
      }
    });
    const stop = async () => {
      stopped = true;
      await Promise.all(lanes);
    };
    return { acknowledged, refusals, stop };
  }

  it('loses nothing acknowledged, and works while the broker is away and when it is back', async () => {
    const { deliveries, open, join } = scene({ sessionTimeoutMs: 6_000 });
    await join();
    await join();
    const load = publishUntilStopped(open(), 30);
    try {
      await until(() => deliveries.different > 100, 'a beginning', patienceMs);
      for (const id of cluster().ids) {
        await cluster().kill(id);
        const [sent, done] = [load.acknowledged.length, deliveries.different];
        const goesOn = () => load.acknowledged.length > sent + 200 && deliveries.different > done + 200;
        await until(goesOn, `work without broker ${id}`, patienceMs);
        await cluster().bringUp(id);
        const again = deliveries.different;
        await until(() => deliveries.different > again + 200, `work with broker ${id} back`, patienceMs);
      }
    } finally {
      await load.stop();
    }
    await until(() => deliveries.different >= load.acknowledged.length, 'every message', patienceMs);
    const delivered = new Set(deliveries.all.map(({ key, n }) => `${key} ${n}`));
    expect(load.acknowledged.filter((one) => !delivered.has(one))).toEqual([]);
    expect(deliveries.outOfOrder()).toEqual([]);
    expect(load.refusals.every((error) => error instanceof MessagesUnavailable)).toBe(true);
  }, 600_000);

  it('continues with partitions whose only copy was on it, when it is back', async () => {
    const newTopics = { replication: 1 };
    const { deliveries, open, join } = scene({ sessionTimeoutMs: 6_000, publishTimeoutMs: 3_000, newTopics });
    const publisher = open();
    await join();
    let refused = 0;
    const everywhere = (n: number) =>
      Promise.all(
        Array.from({ length: 60 }, async (_, lane) => {
          const message = { id: `key-${lane}-${n}`, key: `key-${lane}`, value: { n } };
          for (let sent = false; !sent; ) {
            sent = await publisher.publish('work', message).then(
              () => true,
              () => takes(200).then(() => false),
            );
            if (!sent) refused += 1;
          }
        }),
      );
    await everywhere(0);
    await until(() => deliveries.different === 60, 'the first of each key', patienceMs);
    const [id = 0] = cluster().ids;
    await cluster().kill(id);
    const late = everywhere(1);
    await until(() => refused > 180, 'refusals, since nobody has these partitions', patienceMs);
    await cluster().bringUp(id);
    await late;
    await until(() => deliveries.different === 120, 'the second of each key', patienceMs);
    expect(deliveries.outOfOrder()).toEqual([]);
  }, 300_000);
});
