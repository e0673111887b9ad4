import { randomBytes, randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { readKafkaAddress } from '../../../src/adapters/messages/kafka/kafka-address.js';
import { KafkaEventPublisher } from '../../../src/adapters/messages/kafka/kafka-event-publisher.adapter.js';
import { KafkaMessages } from '../../../src/adapters/messages/kafka/kafka-messages.adapter.js';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import type { Duty } from '../../../src/engine/cluster/lease-keeper.js';
import { RecordTexts } from '../../../src/engine/commands/record-texts.js';
import type { Metrics } from '../../../src/engine/health/metrics.js';
import { EventFeeds, type Feed } from '../../../src/engine/messages/event-feed.js';
import type { ReadStore } from '../../../src/ports/read-store.port.js';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { Scene } from '../../contracts/event-store/event-store-scene.js';
import { until } from '../../contracts/messages/messages-scene.js';
import { eventually } from '../../support/eventually.js';
import { specActor, specAt } from '../../support/given/given.js';
import { storeRetryOf } from '../../support/given/store-retry.js';
import { TextsInMemory } from '../../support/given/texts-in-memory.js';
import { brokersMost } from '../../support/kafka/broker-proxy.js';
import { describeKafka } from '../../support/kafka/describe-kafka.js';
import { changeTopic, makeTopic } from '../../support/kafka/topics-by-hand.js';

interface Told {
  readonly key: string | undefined;
  readonly type: string | undefined;
  readonly event: Readonly<Record<string, unknown>>;
}

/** Reads the lag gauge of the feed that was made last. */
let lags: () => Promise<ReadonlyMap<string, number>>;
function lagGauge(): Metrics {
  const gauge: Metrics['gauge'] = (_name, _help, _labels, read) => {
    lags = async () => {
      const told = new Map<string, number>();
      const into = { reset: () => told.clear(), set: ({ feed }: { feed: string }, lag: number) => told.set(feed, lag) };
      await read(into as unknown as Parameters<typeof read>[0]);
      return told;
    };
  };
  return { gauge } as Metrics;
}

describeKafka((cluster) => {
  let directory: EmbeddedDirectory;
  let events: EmbeddedEventStore;
  let store: EmbeddedReadStore;
  let messages: KafkaMessages;
  let namespace: string;
  let scene: Scene;
  const ends: (() => Promise<void>)[] = [];

  beforeEach(() => {
    directory = new EmbeddedDirectory();
    events = new EmbeddedEventStore({ directory: directory.path });
    store = new EmbeddedReadStore({ directory: directory.path });
    namespace = `countersign-test-${randomUUID()}`;
    scene = new Scene();
    messages = new KafkaMessages({ brokers: cluster().brokers, namespace, clock: new SystemClock() });
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
    await messages.close(1_000);
    await events.close();
    await store.close();
    directory.remove();
  });

  const append = (id: string, types: readonly string[]) =>
    events.append([
      scene.request(
        id,
        'any',
        types.map((type, n) => scene.event(type, { n })),
      ),
    ]);

  async function feed(more: Partial<Feed> = {}, keptIn: ReadStore = store): Promise<Duty> {
    const texts = new RecordTexts(new TextsInMemory());
    const feeds = new EventFeeds(
      events,
      keptIn,
      new KafkaEventPublisher(messages),
      texts,
      storeRetryOf(new SystemClock()),
      lagGauge(),
    );
    const made = feeds.duty({ name: 'events-to-kafka', topic: 'events', ...more }, () => undefined);
    await made.start();
    ends.push(() => made.stop());
    return made;
  }

  /** Consumes the topic with a client that is not the product's. */
  async function listen(topic: string): Promise<readonly Told[]> {
    const told: Told[] = [];
    const kafka = new Kafka({ ...readKafkaAddress(cluster().brokers), logLevel: logLevel.NOTHING });
    const consumer = kafka.consumer({ groupId: `${namespace}-outside-${randomUUID()}`, maxWaitTimeInMs: 500 });
    await consumer.connect();
    // The topic may not exist yet, because the feed creates it.
    const named = { topic: `${namespace}.${topic}`, fromBeginning: true };
    const isThere = (): Promise<boolean> =>
      consumer.subscribe(named).then(
        () => true,
        () => false,
      );
    await eventually(isThere, Boolean);
    const eachMessage = async ({
      message,
    }: {
      readonly message: { key: unknown; value: unknown; headers?: object };
    }) => {
      const headers = message.headers as Readonly<Record<string, unknown>>;
      const event = JSON.parse(String(message.value)) as Told['event'];
      told.push({ key: String(message.key), type: String(headers['content-type']), event });
    };
    await consumer.run({ eachMessage });
    ends.push(() => consumer.disconnect());
    return told;
  }

  it('publishes events as CloudEvents, those of a stream in order', async () => {
    await append('a', ['FunctionCreated', 'FunctionEdited']);
    await feed();
    await append('b', ['FunctionCreated']);
    await append('a', ['FunctionPublished']);
    const told = await listen('events');
    await until(() => told.length >= 4, 'all events', 20_000);
    const log = await events.readAll({ from: -1, limit: 10 });
    const ofA = told.filter(({ key }) => key === scene.stream('a'));
    expect(ofA.map(({ event }) => event['type'])).toEqual(
      ['FunctionCreated', 'FunctionEdited', 'FunctionPublished'].map((type) => `countersign.${type}`),
    );
    expect(told.map(({ event }) => event['id']).sort()).toEqual(log.map(({ position }) => String(position)).sort());
    expect(ofA[0]).toEqual({
      key: scene.stream('a'),
      type: 'application/cloudevents+json; charset=UTF-8',
      event: {
        specversion: '1.0',
        id: String(log[0]?.position),
        source: '/countersign',
        type: 'countersign.FunctionCreated',
        time: specAt,
        subject: scene.stream('a'),
        datacontenttype: 'application/json',
        data: { n: 0 },
        partitionkey: scene.stream('a'),
        revision: '0',
        workspaceid: scene.workspaceId,
        actorkind: 'person',
        actorid: specActor.id,
        operation: 'spec/record',
        correlationid: log[0]?.metadata.correlationId,
      },
    });
  });

  /** Sets the topic's `max.message.bytes`, as an operator would. */
  async function takes(bytes: number, topic = `${namespace}.events`) {
    const { takes: ofStandIn } = cluster();
    if (ofStandIn !== undefined) {
      ofStandIn(bytes);
      ends.push(async () => ofStandIn(brokersMost));
      return;
    }
    const { brokers } = cluster();
    const configEntries = [{ name: 'max.message.bytes', value: String(bytes) }];
    if (await makeTopic(brokers, { topic, numPartitions: 3, configEntries })) return;
    await changeTopic(brokers, topic, 'max.message.bytes', String(bytes));
  }

  /** Random data, which hardly compresses. */
  const large = (id: string, bytes: number) =>
    events.append([scene.request(id, 'any', [scene.event('FunctionEdited', { code: random(bytes) })])]);
  const random = (bytes: number) => randomBytes(bytes).toString('base64').slice(0, bytes);

  /**
   * For each event of the log in order, what outside consumers get: the length of its code, or the reference to its
   * data.
   */
  async function toldOfAll(): Promise<readonly unknown[]> {
    const log = await events.readAll({ from: -1, limit: 1_000 });
    const told = await listen('events');
    await until(() => told.length >= log.length, 'all events', 60_000);
    return log.map(({ position }) => {
      const event = told.find((one) => one.event['id'] === String(position))?.event;
      const { code } = (event?.['data'] ?? {}) as { readonly code?: string };
      return code?.length ?? event?.['dataref'];
    });
  }

  it('publishes events with their data although they are together much larger than a batch', async () => {
    for (let n = 0; n < 12; n++) await large(n % 2 === 0 ? 'a' : `b${n}`, 250_000);
    await large('a', 900_000);
    await large('a', 10);
    await feed();
    expect(await toldOfAll()).toEqual([...Array.from({ length: 12 }, () => 250_000), 900_000, 10]);
  }, 90_000);

  it('publishes an event without its data if it is too large for the topic, and continues', async () => {
    await takes(200_000);
    await large('a', 100_000);
    await large('a', 400_000);
    await large('a', 120_000);
    await large('b', 10);
    const [, { position } = { position: -1 }] = await events.readAll({ from: -1, limit: 2 });
    await feed();
    expect(await toldOfAll()).toEqual([100_000, `/countersign/events/${position}`, 120_000, 10]);
  }, 90_000);

  it('continues when an operator lowers the maximum size of a topic', async () => {
    await large('a', 400_000);
    await feed();
    expect(await toldOfAll()).toEqual([400_000]);
    await takes(200_000);
    await large('a', 400_000);
    await large('a', 10);
    const [, { position } = { position: -1 }] = await events.readAll({ from: -1, limit: 2 });
    expect(await toldOfAll()).toEqual([400_000, `/countersign/events/${position}`, 10]);
  }, 90_000);

  it('publishes only events that match the filter, on a topic of its own', async () => {
    await append('a', ['FunctionCreated', 'CardRaised', 'FunctionEdited']);
    await feed({ name: 'cards-to-kafka', topic: 'pending-changes', filter: { types: ['CardRaised'] } });
    const told = await listen('pending-changes');
    await append('b', ['CardRaised']);
    await until(() => told.length >= 2, 'both cards', 20_000);
    expect(told.map(({ event }) => event['type'])).toEqual(['countersign.CardRaised', 'countersign.CardRaised']);
  });

  it('publishes events again under the same ids if a crash prevented the checkpoint, and continues from there', async () => {
    let crashes = 1;
    const forgetful: ReadStore = Object.create(store, {
      commit: {
        value: async (...given: Parameters<EmbeddedReadStore['commit']>) => {
          if (crashes-- > 0) throw new Error('crashed after the acknowledgement');
          return store.commit(...given);
        },
      },
    });
    await append('a', ['FunctionCreated', 'FunctionEdited']);
    const first = await feed({}, forgetful);
    const told = await listen('events');
    await until(() => told.length >= 4, 'both, twice', 20_000);
    await first.stop();
    await feed();
    await append('a', ['FunctionPublished']);
    await until(() => told.length >= 5, 'the third', 20_000);
    expect(told.map(({ event }) => event['revision'])).toEqual(['0', '1', '0', '1', '2']);
    expect(new Set(told.map(({ event }) => event['id'])).size).toBe(3);
  });

  it('reports its lag behind the log, and none once another process has the feed', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const slow: ReadStore = Object.create(store, {
      commit: {
        value: (...given: Parameters<EmbeddedReadStore['commit']>) => released.then(() => store.commit(...given)),
      },
    });
    await append('a', ['FunctionCreated', 'FunctionEdited']);
    const duty = await feed({}, slow);
    const told = await listen('events');
    await until(() => told.length >= 2, 'both', 20_000);
    expect([...(await lags())]).toEqual([['events-to-kafka', 2]]);
    release();
    const [[, lag = -1] = []] = await eventually(
      async () => [...(await lags())],
      ([first]) => first?.[1] === 0,
    );
    expect(lag).toBe(0);
    await duty.stop();
    expect([...(await lags())]).toEqual([]);
  });
});
