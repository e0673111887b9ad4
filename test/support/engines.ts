import { randomUUID } from 'node:crypto';
import { EventStoreDbTestServer } from './eventstoredb/test-server.js';
import { mongoForTests } from './mongodb/mongo-for-tests.js';
import type { MongoServer } from './mongodb/start-mongo-server.js';

export interface Engines {
  /** Settings with which the service runs on these engines. */
  readonly environment: Readonly<Record<string, string>>;
  /** The stand-ins, which tests can stop and start. Undefined if a real engine is used. */
  readonly eventStoreDb: EventStoreDbTestServer | undefined;
  readonly mongo: MongoServer | undefined;
  close(): Promise<void>;
}

/**
 * Returns the engines at EVENTSTOREDB_URL and MONGODB_URL. For a variable that is not set, starts a server that speaks
 * the engine's protocol.
 */
export async function startEngines(): Promise<Engines> {
  const named = process.env['EVENTSTOREDB_URL'];
  const server = named ? undefined : await new EventStoreDbTestServer().start();
  const mongo = await mongoForTests();
  return {
    environment: {
      EVENT_STORE: 'eventstoredb',
      EVENTSTOREDB_URL: named || (server?.url ?? ''),
      // A real server may contain events of other tests and users, so each run has a namespace of its own.
      EVENTSTOREDB_NAMESPACE: `test_${randomUUID().replaceAll('-', '')}`,
      READ_STORE: 'mongodb',
      MONGODB_URL: mongo.url,
      MONGODB_DATABASE: mongo.newDatabase(),
      // Short, so that tests do not wait long for a take-over. Long enough for a live process on a busy machine.
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
