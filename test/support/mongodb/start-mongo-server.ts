import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Fault } from './faults.js';
import { type Lag, OpTimes } from './optimes.js';
import { ReplicaSet } from './replica-set.js';
import { ServerConnection, ServerState } from './server-connection.js';
import type { Fields } from './wire.js';

export interface MongoServer {
  /** Without a database in it. */
  readonly url: string;
  /** Every command that was run, in its order. */
  readonly seen: readonly { readonly name: string; readonly command: Fields }[];
  /** How many clients there are. */
  clients(): number;
  /** Lets something go wrong; the returned function calls it off. */
  fault(fault: Fault): () => void;
  /** How many faults are still to happen. */
  readonly faults: number;
  /** How many reads of causal sessions wait for what their server does not know yet. */
  readonly waiting: number;
  /** Calls all faults and lags off, and answers again after a silence, on new connections. */
  heal(): void;
  /** No server answers any connection, or all do again. */
  silence(silent: boolean): void;
  isSilent(): boolean;
  /** Breaks every connection; they may come again. */
  disconnect(): void;
  /** From now on indexes of collections with documents are built only when the returned function is called. */
  holdIndexBuilds(): () => void;
  /** The names of a collection's indexes, also of those that are being built, in whatever database. */
  indexesOf(collection: string): readonly string[];
  /** Another member takes over as primary, or none does for now. */
  elect(member: number | undefined): void;
  /**
   * From now on nobody confirms writes, or the members that are not the primary do not hear what was confirmed, so that the
   * next primary does not know it; undefined: all get on again.
   */
  trail(lag: Lag | undefined): void;
  close(): Promise<void>;
}

export interface MongoServerOptions {
  /** How many servers the set has; they share one set of data. Default: one. */
  readonly members?: number;
  /** After so long an open transaction may be ended, default 2,000. */
  readonly transactionsLastMs?: number;
  /** What its greeting says otherwise, such as another version. */
  readonly greets?: Fields;
}

/**
 * A stand-in for a replica set of MongoDB, in this process and in memory, on TCP ports of its own. It knows the few
 * commands, operators and options that are used, and refuses every other.
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
