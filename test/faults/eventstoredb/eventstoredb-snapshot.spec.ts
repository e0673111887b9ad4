import { Connection } from '../../../src/adapters/event-store/eventstoredb/connection.js';
import { EventReader } from '../../../src/adapters/event-store/eventstoredb/event-reader.js';
import { EventStoreDbEventStore } from '../../../src/adapters/event-store/eventstoredb/eventstoredb-event-store.adapter.js';
import { EventStoreDbSnapshot } from '../../../src/adapters/event-store/eventstoredb/eventstoredb-snapshot.js';
import { EventStoreUnavailable } from '../../../src/ports/event-store.port.js';
import { Scene } from '../../contracts/event-store/event-store-scene.js';
import { allOf } from '../../support/all-of.js';
import { EventStoreDbTestServer } from '../../support/eventstoredb/test-server.js';

describe('a snapshot of EventStoreDB', () => {
  let server: EventStoreDbTestServer;
  let store: EventStoreDbEventStore;
  let connection: Connection & { deadlineMs: number };
  let reader: EventReader;
  let scene: Scene;

  beforeEach(async () => {
    server = await new EventStoreDbTestServer().start();
    store = new EventStoreDbEventStore({ url: server.url });
    const real = new Connection(server.url, 10_000);
    connection = Object.assign(Object.create(real) as Connection, { deadlineMs: 10_000 });
    reader = new EventReader(connection);
    scene = new Scene();
    await store.append([scene.request('a', 'none', 3)]);
  });
  afterEach(async () => {
    await connection.close();
    await store.close();
    await server.stop();
  });

  it('contains events that were pruned after its head was read and before the prunings were read', async () => {
    const interrupted: EventReader = Object.assign(Object.create(reader) as EventReader, {
      last: async () => {
        const head = await reader.last();
        await store.append([scene.request('a', 2)]);
        await store.truncate(scene.stream('a'), 3);
        return head;
      },
    });
    const snapshot = await EventStoreDbSnapshot.take(interrupted, scene.workspaceId);
    expect((await allOf(snapshot.events())).map(({ revision }) => revision)).toEqual([0, 1, 2]);
    expect(snapshot.keptFrom.size).toBe(0);
  });

  it.each([
    ['goes away', () => server.stop()],
    [
      'falls silent',
      async () => {
        server.faults.silent = true;
        // The reader of a whole log waits for 60 deadlines, so the deadline is shortened.
        connection.deadlineMs = 10;
      },
    ],
  ])('fails with one sentence if the server %s', async (_, fail) => {
    const snapshot = await EventStoreDbSnapshot.take(reader, undefined);
    await fail();
    const reading = allOf(snapshot.events());
    await expect(reading).rejects.toThrow(EventStoreUnavailable);
    await expect(reading).rejects.toThrow(/^The event store is not available: [^.]+\.$/);
  });
});
