import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Frames } from './frames.js';

const produce = 0;
/** Requests whose responses contain the addresses of brokers. */
const metadata = 3;
const findCoordinator = 10;
const joinGroup = 11;
const syncGroup = 14;

const messageTooLarge = 10;
const rebalanceInProgress = 27;

/** Default of `max.message.bytes`. */
export const brokersMost = 1_048_588;

/**
 * Longest session timeout. When a group rebalances, the mock waits for nearly this long; real brokers continue as soon
 * as all members have joined.
 */
const longestSessionMs = 6_000;
/**
 * Delay of the leader's SyncGroup request. The mock refuses members whose SyncGroup request arrives after the leader's,
 * so the leader's must arrive last.
 */
const leaderWaitsMs = 250;

/**
 * A proxy in front of one mock broker, which corrects differences from real brokers. librdkafka's mock states that
 * broker 0 is the controller, but has no such broker; real brokers name one that exists, and kafkajs requests producer
 * ids from it. The proxy therefore names the first broker as the controller, and gives the proxies' ports as those of
 * the brokers. It makes groups rebalance as quickly and reliably as on real brokers. The mock accepts batches of any
 * size, so the proxy refuses those that are too large.
 */
export class BrokerProxy {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private ports: ReadonlyMap<number, number> = new Map();

  private constructor(readonly target: number) {
    this.server = createServer((client) => this.serve(client));
  }

  /**
   * Number of SyncGroup requests that are still to be refused with REBALANCE_IN_PROGRESS, so that the members join
   * again.
   */
  joinAgain = 0;

  /** Size of the largest batch that a partition accepts, in bytes: `max.message.bytes`. */
  takes = brokersMost;

  static async open(target: number): Promise<BrokerProxy> {
    const proxy = new BrokerProxy(target);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Sets the port of each broker's proxy, by the broker's own port. */
  stands(ports: ReadonlyMap<number, number>): void {
    this.ports = ports;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(client: Socket): void {
    const broker = connect(this.target, '127.0.0.1');
    const asked = new Map<number, { readonly api: number; readonly version: number }>();
    const requests = new Frames((frame) => {
      const [api, version] = [frame.readInt16BE(4), frame.readInt16BE(6)];
      const batches = api === produce ? batchesIn(frame, version) : [];
      if (batches.some(({ bytes }) => bytes > this.takes)) {
        client.write(tooLarge(frame, version, batches));
        return;
      }
      asked.set(frame.readInt32BE(8), { api, version });
      if (api === joinGroup) shortenSession(frame);
      if (api === syncGroup && bringsShares(frame, version)) setTimeout(() => broker.write(frame), leaderWaitsMs);
      else broker.write(frame);
    });
    const answers = new Frames((frame) => {
      const correlation = frame.readInt32BE(4);
      const { api, version } = asked.get(correlation) ?? { api: -1, version: 0 };
      asked.delete(correlation);
      if (api === metadata) this.correctMetadata(frame, version);
      if (api === findCoordinator) this.correctCoordinator(frame, version);
      if (api === syncGroup) this.refuseShare(frame, version);
      client.write(frame);
    });
    client.on('data', (bytes) => requests.add(bytes));
    broker.on('data', (bytes) => answers.add(bytes));
    for (const [one, other] of [
      [client, broker],
      [broker, client],
    ] as const) {
      this.sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }

  /**
   * Corrects a Metadata response of version 0 to 2. Its fields: brokers (id, host, port, and rack since version 1),
   * cluster id (since 2), controller (since 1), topics.
   */
  private correctMetadata(frame: Buffer, version: number): void {
    let at = 12;
    let first = -1;
    for (let left = frame.readInt32BE(8); left > 0; left -= 1) {
      if (first < 0) first = frame.readInt32BE(at);
      at = this.correctPort(frame, skipString(frame, at + 4));
      if (version >= 1) at = skipString(frame, at);
    }
    if (version >= 2) at = skipString(frame, at);
    if (version >= 1) frame.writeInt32BE(first, at);
  }

  /**
   * Corrects a FindCoordinator response. Fields of version 0: error, id, host, port. Version 1 adds the throttle time
   * at the start, and the error's text after the error.
   */
  private correctCoordinator(frame: Buffer, version: number): void {
    const at = version >= 1 ? skipString(frame, 14) : 10;
    this.correctPort(frame, skipString(frame, at + 4));
  }

  /**
   * Refuses a SyncGroup request. The response begins with the error or, since version 1, with the throttle time before
   * the error.
   */
  private refuseShare(frame: Buffer, version: number): void {
    if (this.joinAgain === 0) return;
    this.joinAgain -= 1;
    frame.writeInt16BE(rebalanceInProgress, version >= 1 ? 12 : 8);
  }

  private correctPort(frame: Buffer, at: number): number {
    const stands = this.ports.get(frame.readInt32BE(at));
    if (stands !== undefined) frame.writeInt32BE(stands, at);
    return at + 4;
  }
}

interface Batch {
  readonly topic: Buffer;
  readonly partition: number;
  readonly bytes: number;
}

/**
 * Returns the batches of a Produce request. Its fields: transaction (since version 3), acknowledgements, timeout,
 * topics. Each topic has a name, and a batch for each partition.
 */
function batchesIn(frame: Buffer, version: number): readonly Batch[] {
  const found: Batch[] = [];
  const client = skipString(frame, 12);
  let at = (version >= 3 ? skipString(frame, client) : client) + 6;
  const topics = frame.readInt32BE(at);
  at += 4;
  for (let topic = 0; topic < topics; topic++) {
    const name = frame.subarray(at, skipString(frame, at));
    at += name.length;
    const partitions = frame.readInt32BE(at);
    at += 4;
    for (let n = 0; n < partitions; n++) {
      const bytes = frame.readInt32BE(at + 4);
      found.push({ topic: name, partition: frame.readInt32BE(at), bytes });
      at += 8 + Math.max(0, bytes);
    }
  }
  return found;
}

/**
 * Returns the response to a Produce request that contains a batch that is too large. Nothing of it is recorded, whereas
 * real brokers record its other batches. Fields of each partition: error, offset, time (since version 2), first offset
 * (since 5). The throttle time is at the end (since 1).
 */
function tooLarge(request: Buffer, version: number, batches: readonly Batch[]): Buffer {
  const each = batches.map(({ topic, partition }) => {
    const answer = Buffer.alloc(4 + 4 + 2 + 8 + (version >= 2 ? 8 : 0) + (version >= 5 ? 8 : 0), 0xff);
    answer.writeInt32BE(1, 0);
    answer.writeInt32BE(partition, 4);
    answer.writeInt16BE(messageTooLarge, 8);
    return Buffer.concat([topic, answer]);
  });
  const head = Buffer.alloc(12);
  request.copy(head, 4, 8, 12);
  head.writeInt32BE(batches.length, 8);
  const answer = Buffer.concat([head, ...each, Buffer.alloc(version >= 1 ? 4 : 0)]);
  answer.writeInt32BE(answer.length - 4, 0);
  return answer;
}

/** Shortens the session timeout in a JoinGroup request. In all versions, it follows the group. */
function shortenSession(frame: Buffer): void {
  const at = skipString(frame, skipString(frame, 12));
  frame.writeInt32BE(Math.min(frame.readInt32BE(at), longestSessionMs), at);
}

/**
 * Whether a SyncGroup request is from the group's leader, so that it contains the members' shares. Its fields: group,
 * generation, member, instance (since version 3), shares by member.
 */
function bringsShares(frame: Buffer, version: number): boolean {
  const member = skipString(frame, skipString(frame, 12)) + 4;
  const instance = skipString(frame, member);
  return frame.readInt32BE(version >= 3 ? skipString(frame, instance) : instance) > 0;
}

/** Returns the offset after a string. Strings begin with their length; -1 means null. */
function skipString(frame: Buffer, at: number): number {
  return at + 2 + Math.max(0, frame.readInt16BE(at));
}
