import { MongoClient, type MongoClientOptions, ReadConcern } from 'mongodb';
import { watchPools } from './full-pools.js';

const heartbeatMs = 5_000;

interface Shared {
  readonly client: MongoClient;
  users: number;
}

/** A client in use. */
export interface UsedClient {
  readonly client: MongoClient;
  /** The last of its users closes it. */
  release(): Promise<void>;
}

/** One client for each URL, and so one pool of connections for all stores of a process that are there. */
export class MongoClients {
  private readonly shared = new Map<string, Shared>();

  /** @throws Error when the URL cannot be read */
  use(url: string, patienceMs: number): UsedClient {
    const key = JSON.stringify([url, patienceMs]);
    const shared = this.shared.get(key) ?? { client: clientOf(url, patienceMs), users: 0 };
    shared.users += 1;
    this.shared.set(key, shared);
    return {
      client: shared.client,
      release: async () => {
        shared.users -= 1;
        if (shared.users > 0) return;
        this.shared.delete(key);
        await shared.client.close();
      },
    };
  }
}

/** Given to the client and again to the database, because single options of the URL stand before the client's. */
export const promises = (maxTimeMS: number) =>
  ({
    readConcern: new ReadConcern('majority'),
    readPreference: 'primary',
    writeConcern: { w: 'majority', wtimeoutMS: maxTimeMS },
  }) as const;

/** The server's time limit for one command. */
export const maxTimeOf = (patienceMs: number) => 2 * patienceMs;

/**
 * How many connections it opens at most is the driver's default, 100, or what the URL says.
 * @throws Error when the URL cannot be read
 */
export function clientOf(url: string, patienceMs: number, other: MongoClientOptions = {}): MongoClient {
  const maxTimeMS = maxTimeOf(patienceMs);
  try {
    const client = new MongoClient(url, {
      appName: 'countersign',
      ...promises(maxTimeMS),
      retryReads: true,
      retryWrites: true,
      serverSelectionTimeoutMS: patienceMs,
      connectTimeoutMS: patienceMs,
      waitQueueTimeoutMS: patienceMs,
      socketTimeoutMS: maxTimeMS + patienceMs,
      heartbeatFrequencyMS: heartbeatMs,
      promoteBuffers: true,
      ...other,
    });
    watchPools(client);
    return client;
  } catch {
    // Without the cause, which may contain the URL and its password.
    throw new Error(
      'MONGODB_URL cannot be read: write it as mongodb://host:27017/countersign?replicaSet=rs0, with no other options ' +
        'than those of the MongoDB driver.',
    );
  }
}
