import { MongoClient, type MongoClientOptions, ReadConcern } from 'mongodb';
import { watchPools } from './full-pools.js';

const heartbeatMs = 5_000;

interface Shared {
  readonly client: MongoClient;
  users: number;
}

export interface UsedClient {
  readonly client: MongoClient;
  release(): Promise<void>;
}

export class MongoClients {
  private readonly shared = new Map<string, Shared>();

  /** @throws Error if the URL is invalid */
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

/**
 * Options for majority reads and writes. They are set on the client and on the database, because some options of the
 * URL override the client's.
 */
export const promises = (maxTimeMS: number) =>
  ({
    readConcern: new ReadConcern('majority'),
    readPreference: 'primary',
    writeConcern: { w: 'majority', wtimeoutMS: maxTimeMS },
  }) as const;

export const maxTimeOf = (patienceMs: number) => 2 * patienceMs;

/**
 * The connection limit is the URL's or the driver's default of 100.
 * @throws Error if the URL is invalid
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
    // The cause is omitted, because it can contain the URL with its password.
    throw new Error(
      'MONGODB_URL cannot be read: write it as mongodb://host:27017/countersign?replicaSet=rs0, with no other options ' +
        'than those of the MongoDB driver.',
    );
  }
}
