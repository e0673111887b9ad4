import type { ClientSession, Collection, Db, Document, MongoClient } from 'mongodb';
import { bounded } from './bounded.js';
import { clientOf, MongoClients, maxTimeOf, promises, type UsedClient } from './mongo-clients.js';
import { type CausalOptions, MongoSessions } from './mongo-sessions.js';

export interface MongoOptions {
  /** `mongodb://…` or `mongodb+srv://…`; its path names the database. */
  readonly url: string;
  /** Stands before the one in the URL. Default: `countersign`. */
  readonly database?: string;
  /** How long a server is waited for, in milliseconds; a command that runs may take some times as long. */
  readonly patienceMs?: number;
  /** Shared by all stores of a process. Left out: a client of its own. */
  readonly clients?: MongoClients;
}

const defaultPatienceMs = 5_000;
/** More than a command takes at the worst: it waits for a server, a connection and an answer, and all of it once more. */
const commandPatiences = 12;
/** MongoDB 7.0's. */
const oldestWireVersion = 21;

/**
 * One database, by a client that others may share. Writes are acknowledged by a majority, and reads come from the primary
 * with majority read concern, so that nothing that was read or acknowledged is lost in a failover. That a read sees an
 * earlier write takes a causal session besides: `reads` and `write`. Options in the URL that say otherwise are overridden.
 */
export class MongoConnection {
  readonly database: Db;
  /** The server's time limit for one command. Shorter than the socket's, so that the server can report the reason. */
  readonly maxTimeMS: number;
  private readonly used: UsedClient;
  private readonly sessions: MongoSessions;
  private readonly patient = new Set<MongoClient>();
  private replicated = false;
  private ended = false;

  /** Connects at the first command, and again whenever that is needed. @throws Error when the URL cannot be read */
  constructor(private readonly options: MongoOptions) {
    const { url, database, patienceMs = defaultPatienceMs, clients = new MongoClients() } = options;
    this.maxTimeMS = maxTimeOf(patienceMs);
    this.used = clients.use(url, patienceMs);
    const { client } = this.used;
    if (client.options.directConnection) {
      void this.used.release();
      throw new Error(
        'MONGODB_URL asks for directConnection, which reads whichever server it names, also one that is behind: take ' +
          'that option out and name the replica set instead, as ?replicaSet=rs0.',
      );
    }
    const opened = client.db(database ?? databaseOf(url) ?? 'countersign', promises(this.maxTimeMS));
    const mostMs = commandPatiences * patienceMs;
    this.database = bounded(opened, mostMs);
    this.sessions = new MongoSessions(client, this.maxTimeMS, mostMs);
  }

  /** For reads that must see what this process has written or read before, also after a failover. */
  get reads(): CausalOptions {
    return this.sessions.reads;
  }

  /** What is written under the given session is seen by every later one of `reads`. */
  write<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
    return this.sessions.write(work);
  }

  /**
   * All or nothing, against one state of the data. The work may be done several times. When it rejects with what the
   * network did, its outcome is unknown.
   * @param held is called once, when another transaction has not ended for seconds
   */
  transaction<T>(work: (session: ClientSession) => Promise<T>, held?: () => void): Promise<T> {
    return this.sessions.transaction(work, held);
  }

  get closed(): boolean {
    return this.ended;
  }

  collection<Shape extends Document>(name: string): Collection<Shape> {
    return this.database.collection<Shape>(name);
  }

  /**
   * Refuses a standalone server, which has neither majorities nor retryable writes, a router of shards, on which nothing
   * was ever tried, and old versions.
   */
  async mustBeReplicated(): Promise<void> {
    if (this.replicated) return;
    const { setName, msg, maxWireVersion } = await this.database.admin().command({ hello: 1 });
    if (msg === 'isdbgrid') {
      throw new Error('MONGODB_URL leads to mongos: sharded clusters are not supported, name a replica set.');
    }
    if (Number(maxWireVersion) < oldestWireVersion) {
      throw new Error('MongoDB is older than 7.0: update its servers to 7.0 or later.');
    }
    if (setName === undefined) {
      throw new Error('MongoDB runs without a replica set: start it with --replSet; a set of one server is enough.');
    }
    this.replicated = true;
  }

  /**
   * Work that may take hours, on a connection of its own that waits for its answers as long as the server is there. The
   * driver sets such limits for a client, not for a command.
   */
  async patiently<T>(work: (database: Db) => Promise<T>, stopping?: AbortSignal): Promise<T> {
    const { url, patienceMs = defaultPatienceMs } = this.options;
    const client = clientOf(url, patienceMs, { socketTimeoutMS: 0, minPoolSize: 0, maxPoolSize: 1 });
    this.patient.add(client);
    const close = () => void client.close();
    stopping?.addEventListener('abort', close, { once: true });
    try {
      stopping?.throwIfAborted();
      return await work(client.db(this.database.databaseName, promises(this.maxTimeMS)));
    } finally {
      stopping?.removeEventListener('abort', close);
      this.patient.delete(client);
      await client.close();
    }
  }

  /** May be repeated. */
  async close(): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    await this.sessions.close();
    await Promise.all([this.used.release(), ...[...this.patient].map((client) => client.close())]);
  }
}

function databaseOf(url: string): string | undefined {
  const name = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?/]+)/.exec(url)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}
