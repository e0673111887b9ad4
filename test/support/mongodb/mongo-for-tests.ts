import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { type MongoServer, startMongoServer } from './start-mongo-server.js';

export interface MongoForTests {
  readonly url: string;
  /** Returns the name of a new database for this run. */
  newDatabase(): string;
  /** The stand-in. Undefined if MONGODB_URL names a real server. */
  readonly server: MongoServer | undefined;
  /** Drops the databases, and stops the stand-in. */
  close(): Promise<void>;
}

/** Returns databases for a test: on the server that MONGODB_URL names or, without that variable, on the stand-in. */
export async function mongoForTests(): Promise<MongoForTests> {
  const named = process.env['MONGODB_URL'];
  const server =
    named === undefined || named === '' ? await startMongoServer({ transactionsLastMs: 20_000 }) : undefined;
  const url = server?.url ?? named ?? '';
  const databases: string[] = [];
  return {
    url,
    server,
    newDatabase() {
      const database = `countersign_test_${randomUUID().slice(0, 18).replaceAll('-', '')}`;
      databases.push(database);
      return database;
    },
    async close() {
      const client = new MongoClient(url, { writeConcern: { w: 'majority' } });
      for (const database of databases) await client.db(database).dropDatabase();
      await client.close();
      await server?.close();
    },
  };
}
