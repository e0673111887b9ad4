import { randomUUID } from 'node:crypto';
import { EventStoreDbTestServer } from './eventstoredb/test-server.js';
import { mongoForTests } from './mongodb/mongo-for-tests.js';
import type { MongoServer } from './mongodb/start-mongo-server.js';

export interface Engines {
  /** What the service has to be told to run on them. */
  readonly environment: Readonly<Record<string, string>>;
  /** The stand-ins, to take away and bring back; undefined where a real engine is named. */
  readonly eventStoreDb: EventStoreDbTestServer | undefined;
  readonly mongo: MongoServer | undefined;
  close(): Promise<void>;
}

/** The engines that EVENTSTOREDB_URL and MONGODB_URL name or, where they name none, servers that speak their protocols. */
export async function startEngines(): Promise<Engines> {
  const named = process.env['EVENTSTOREDB_URL'];
  const server = named ? undefined : await new EventStoreDbTestServer().start();
  const mongo = await mongoForTests();
  return {
    environment: {
      EVENT_STORE: 'eventstoredb',
      EVENTSTOREDB_URL: named || (server?.url ?? ''),
      // A server that is named may hold what other tests and others have written.
      EVENTSTOREDB_NAMESPACE: `test_${randomUUID().replaceAll('-', '')}`,
      READ_STORE: 'mongodb',
      MONGODB_URL: mongo.url,
      MONGODB_DATABASE: mongo.newDatabase(),
      // Short, so that nobody waits long for a take-over; long enough for a living process on a busy machine.
      LEASE_SILENCE_MS: '2000',
    },
    eventStoreDb: server,
    mongo: mongo.server,
    close: async () => {
      await mongo.close();
      await server?.stop();
    },
  };
}
