import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Fault } from './faults.js';
import { type Lag, OpTimes } from './optimes.js';
import { ReplicaSet } from './replica-set.js';
import { ServerConnection, ServerState } from './server-connection.js';
import type { Fields } from './wire.js';

export interface MongoServer {
  /** URL without a database. */
  readonly url: string;
  /** Commands that were run, in order. */
  readonly seen: readonly { readonly name: string; readonly command: Fields }[];
  /** Number of connected clients. */
  clients(): number;
  /** Adds a fault. The returned function removes it. */
  fault(fault: Fault): () => void;
  /** Number of faults that have not happened yet. */
  readonly faults: number;
  /** Number of reads in causal sessions that wait for a state that their member does not know yet. */
  readonly waiting: number;
  /** Removes all faults and lags. After a silence, the server answers again on new connections. */
  heal(): void;
  /** Sets whether the servers answer on no connection. */
  silence(silent: boolean): void;
  isSilent(): boolean;
  /** Breaks every connection. Clients may reconnect. */
  disconnect(): void;
  /** Holds builds of indexes on collections with documents until the returned function is called. */
  holdIndexBuilds(): () => void;
  /**
   * Names of the indexes of the collections with this name, in every database. Includes indexes that are being built.
   */
  indexesOf(collection: string): readonly string[];
  /** Makes another member the primary. Undefined means that there is no primary for now. */
  elect(member: number | undefined): void;
  /**
   * Delays confirmations of writes, or delays the news of them to members other than the primary, so that the next
   * primary does not know them. Undefined ends the delay.
   */
  trail(lag: Lag | undefined): void;
  close(): Promise<void>;
}

export interface MongoServerOptions {
  /** Number of servers in the set. They share one set of data. Default: one. */
  readonly members?: number;
  /** Time, in milliseconds, after which an open transaction may be aborted. Default: 2,000. */
  readonly transactionsLastMs?: number;
  /** Members that replace those of the greeting, such as another version. */
  readonly greets?: Fields;
}

/**
 * Starts a stand-in for a replica set of MongoDB, in this process and in memory, on TCP ports of its own. It supports
 * only the commands, operators and options that the service uses, and refuses all others.
 */
export async function startMongoServer({
  members = 1,
  transactionsLastMs = 2_000,
  greets,
}: MongoServerOptions = {}): Promise<MongoServer> {
  const set = new ReplicaSet(greets);
  const state = new ServerState(new OpTimes(members, () => set.primaryMember), transactionsLastMs);
  const sockets = new Set<Socket>();
  const servers = Array.from({ length: members }, (_, member) =>
    createServer((socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      new ServerConnection(socket, member, set, state);
    }),
  );
  const hosts = await Promise.all(servers.map(listening));
  set.named(hosts);
  const disconnect = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `mongodb://${hosts.join(',')}/?replicaSet=${set.name}`,
    seen: state.seen,
    clients: () => state.watching.size / members,
    fault: (fault) => state.faults.add(fault),
    get waiting() {
      return state.times.waiting;
    },
    get faults() {
      return state.faults.left;
    },
    heal() {
      state.faults.clear();
      state.times.trail(undefined);
      if (state.silent) disconnect();
      state.silent = false;
    },
    silence(silent) {
      state.silent = silent;
      if (!silent) disconnect();
    },
    isSilent: () => state.silent,
    disconnect,
    holdIndexBuilds: () => state.commands.indexBuilds.hold(),
    indexesOf: (collection) => state.commands.indexesOf(collection),
    elect(member) {
      set.elect(member);
      state.transactions.abortAll();
      state.commands.indexBuilds.interrupt();
    },
    trail: (lag) => state.times.trail(lag),
    async close() {
      disconnect();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
