import { EventStoreDbEventStore } from '../../../src/adapters/event-store/eventstoredb/eventstoredb-event-store.adapter.js';
import { type AppendRequest, EventStoreUnavailable, type Subscription } from '../../../src/ports/event-store.port.js';
import { eventually, idsOf, Recorder, Scene } from '../../contracts/event-store/event-store-scene.js';
import { takes } from '../../support/clocks/delays.js';
import { noFaults } from '../../support/eventstoredb/faults.js';
import { EventStoreDbTestServer } from '../../support/eventstoredb/test-server.js';

const lastsMs = 6_000;
const among = (most: number) => Math.random() * most;

describe('an EventStoreDB that fails in every way, one after the other', () => {
  const server = new EventStoreDbTestServer();
  const scene = new Scene();
  let stores: readonly [EventStoreDbEventStore, EventStoreDbEventStore];

  beforeAll(async () => {
    await server.start();
    const url = `esdb+discover://127.0.0.1:${server.port}?tls=false&maxDiscoverAttempts=3`;
    const open = () => new EventStoreDbEventStore({ url, deadlineMs: 400, heartbeatMs: 200 });
    stores = [open(), open()];
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await server.stop();
  });

  /** Repeats the same append until it is answered, as every writer does. */
  async function persist(store: EventStoreDbEventStore, request: AppendRequest): Promise<void> {
    for (;;) {
      try {
        await store.append([request]);
        return;
      } catch (error) {
        if (!(error instanceof EventStoreUnavailable)) throw error;
        await takes(20);
      }
    }
  }

  function follow(store: EventStoreDbEventStore, types?: readonly string[]) {
    const recorder = new Recorder();
    const subscription: Subscription = store.subscribe({
      after: -1,
      workspaceId: scene.workspaceId,
      ...(types === undefined ? {} : { types }),
      handle: async (events, caughtUpTo) => {
        if (among(50) < 1) throw new Error('a handler that fails now and then');
        if (among(10) < 1) await takes(among(20));
        await recorder.handle(events, caughtUpTo);
      },
    });
    return { recorder, subscription, types };
  }

  const troubles: readonly (() => Promise<unknown>)[] = [
    async () => {
      await server.stop();
      await takes(among(400));
      await server.start();
    },
    async () => server.dropSubscriptions(),
    async () => Object.assign(server.faults, { slowMs: 500 }),
    async () => Object.assign(server.faults, { silent: true }),
    async () => Object.assign(server.faults, { dropAnswers: 3 }),
    async () => Object.assign(server.faults, { leader: { host: '127.0.0.1', port: 9 } }),
  ];

  it('loses and doubles nothing', async () => {
    const followed = stores.flatMap((store) => [follow(store), follow(store, ['FunctionCreated'])]);
    const written: string[] = [];
    const end = Date.now() + lastsMs;
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let n = 0; Date.now() < end; n += 1) {
        const events = [scene.event(n % 2 === 0 ? 'FunctionCreated' : 'FunctionEdited'), ...scene.events(n % 3)];
        await persist(stores[writer % 2 === 0 ? 0 : 1], scene.request(`${writer % 4}`, 'any', events));
        written.push(...idsOf(events));
        await takes(among(10));
      }
    });
    while (Date.now() < end) {
      await takes(among(400));
      await troubles[Math.floor(among(troubles.length))]?.();
      await takes(among(700));
      Object.assign(server.faults, noFaults());
    }
    await Promise.all(writers);
    const log = server.log.records.filter(({ stream }) => !stream.startsWith('$'));
    expect(idsOf(log).toSorted()).toEqual(written.toSorted());
    for (const { recorder, subscription, types } of followed) {
      const wanted = idsOf(log.filter(({ type }) => types?.includes(type) ?? true));
      await eventually(() => recorder.events.length >= wanted.length, 'all events');
      await eventually(() => subscription.position >= (log.at(-1)?.position ?? 0), 'the end of the log');
      expect(idsOf(recorder.events)).toEqual(wanted);
    }
  }, 60_000);
});
