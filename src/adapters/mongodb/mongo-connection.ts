import type { ClientSession, Collection, Db, Document, MongoClient } from 'mongodb';
import { bounded } from './bounded.js';
import { clientOf, MongoClients, maxTimeOf, promises, type UsedClient } from './mongo-clients.js';
import { type CausalOptions, MongoSessions } from './mongo-sessions.js';

export interface MongoOptions {
  /** `mongodb://…` or `mongodb+srv://…`. The path names the database. */
  readonly url: string;
  /** Overrides the database in the URL. If neither is set, `countersign` is used. */
  readonly database?: string;
  /**
   * Time, in milliseconds, for which a command waits for a server. A running command can take several times as long.
   */
  readonly patienceMs?: number;
  readonly clients?: MongoClients;
}

const defaultPatienceMs = 5_000;
/**
 * Time limit of a command, in multiples of `patienceMs`. A command waits for a server, a connection and a response, and
 * is retried with the same waits.
 */
const commandPatiences = 12;
const oldestWireVersion = 21;

/**
 * Writes are acknowledged by a majority, and reads have majority read concern, so a failover loses nothing that was
 * read or acknowledged. A read is certain to see an earlier write only if the write used `write` and the read uses
 * `reads`. Contrary options in the URL are overridden.
 */
export class MongoConnection {
  readonly database: Db;
  /**
   * Time limit that the server applies to a command, in milliseconds. Shorter than the socket's timeout, so that the
   * server can report the reason.
   */
  readonly maxTimeMS: number;
  private readonly used: UsedClient;
  private readonly sessions: MongoSessions;
  private readonly patient = new Set<MongoClient>();
  private replicated = false;
  private ended = false;

  /** Connects on the first command. @throws Error if the URL is invalid */
  constructor(private readonly options: MongoOptions) {
    const { url, database, patienceMs = defaultPatienceMs, clients = new MongoClients() } = options;
    this.maxTimeMS = maxTimeOf(patienceMs);
    this.used = clients.use(url, patienceMs);
    const { client } = this.used;
    if (client.options.directConnection) {
      void this.used.release();
      throw new Error(
        'MONGODB_URL sets directConnection, which reads from the named server even if that server lags behind: remove ' +
          'this option and name the replica set instead, as in ?replicaSet=rs0.',
      );
    }
    const opened = client.db(database ?? databaseOf(url) ?? 'countersign', promises(this.maxTimeMS));
    const mostMs = commandPatiences * patienceMs;
    this.database = bounded(opened, mostMs);
    this.sessions = new MongoSessions(client, this.maxTimeMS, mostMs);
  }

  /** Options for reads that must see what this process has written or read before, even after a failover. */
  get reads(): CausalOptions {
    return this.sessions.reads;
  }

  /** Later reads with the options `reads` see these writes. */
  write<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
    return this.sessions.write(work);
  }

  /**
   * The work can run several times. If it rejects with a network error, it is unknown whether the transaction was
   * committed.
   * @param onContention called once when another transaction has been open for seconds
   */
  transaction<T>(work: (session: ClientSession) => Promise<T>, onContention?: () => void): Promise<T> {
    return this.sessions.transaction(work, onContention);
  }

  get closed(): boolean {
    return this.ended;
  }

  collection<Shape extends Document>(name: string): Collection<Shape> {
    return this.database.collection<Shape>(name);
  }

  /**
   * @throws Error for a standalone server, which has neither majorities nor retryable writes, for a router of a sharded
   * cluster, which is untested, and for an old version
   */
  async mustBeReplicated(): Promise<void> {
    if (this.replicated) return;
    const { setName, msg, maxWireVersion } = await this.database.admin().command({ hello: 1 });
    if (msg === 'isdbgrid') {
      throw new Error(
        'MONGODB_URL leads to a mongos router, and sharded clusters are not supported: name a replica set.',
      );
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
   * There is no time limit while the server is available. The work gets a client of its own, because the driver sets
   * time limits per client, not per command.
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
