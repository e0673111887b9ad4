import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Frames } from './frames.js';

const produce = 0;
/** Requests whose answers say where brokers are. */
const metadata = 3;
const findCoordinator = 10;
const joinGroup = 11;
const syncGroup = 14;

const messageTooLarge = 10;
const rebalanceInProgress = 27;

/** `max.message.bytes` where nobody has set it. */
export const brokersMost = 1_048_588;

/** The mock waits a second less than this for members to join again, where brokers go on as soon as they have. */
const longestSessionMs = 6_000;
/** The mock refuses members that ask for their share once it has it from the leader, so that one comes last. */
const leaderWaitsMs = 250;

/**
 * Stands before one mock broker. librdkafka's mock says that broker 0 is the controller and has no such broker; real
 * ones always name one that is there, and kafkajs asks it for producer ids. So answers are set right on their way: the
 * controller is the first broker, and brokers are where their proxies are. And groups come together as quickly and as
 * surely as they do on brokers. The mock takes batches of any size, so those are refused here that brokers refuse.
 */
export class BrokerProxy {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private ports: ReadonlyMap<number, number> = new Map();

  private constructor(readonly target: number) {
    this.server = createServer((client) => this.serve(client));
  }

  /** So many members that ask for their share are told that the group comes together anew: REBALANCE_IN_PROGRESS. */
  joinAgain = 0;

  /** The largest batch of one partition that is taken, in bytes: `max.message.bytes`. */
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

  /** Ports of the brokers and where their proxies listen. */
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

  /** Versions 0 to 2: brokers (id, host, port, rack from 1 on), cluster id (from 2 on), controller (from 1 on), topics. */
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

  /** Version 0: error, id, host, port; from 1 on with the throttle time before and the error's text behind the error. */
  private correctCoordinator(frame: Buffer, version: number): void {
    const at = version >= 1 ? skipString(frame, 14) : 10;
    this.correctPort(frame, skipString(frame, at + 4));
  }

  /** Version 0: the error first; from 1 on the throttle time before it. */
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

/** Transaction (from version 3 on), acknowledgements, time-out, topics: each with its name and a batch a partition. */
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
 * Nothing of the request is recorded, where brokers record the batches that are small enough. Each partition: error, offset,
 * time (from version 2 on), first offset (from 5 on); the throttle time at the end (from 1 on).
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

/** All versions: group, session timeout, … */
function shortenSession(frame: Buffer): void {
  const at = skipString(frame, skipString(frame, 12));
  frame.writeInt32BE(Math.min(frame.readInt32BE(at), longestSessionMs), at);
}

/** Group, generation, member, from version 3 on the instance, shares by member. */
function bringsShares(frame: Buffer, version: number): boolean {
  const member = skipString(frame, skipString(frame, 12)) + 4;
  const instance = skipString(frame, member);
  return frame.readInt32BE(version >= 3 ? skipString(frame, instance) : instance) > 0;
}

/** Behind a string that has its length before it; -1 stands for none. */
function skipString(frame: Buffer, at: number): number {
  return at + 2 + Math.max(0, frame.readInt16BE(at));
}
