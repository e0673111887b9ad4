import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type KafkaLine, kafkaClassPath } from './kafka-jars.js';
import type { KafkaCluster } from './mock-cluster.js';

/** The way in which clients connect to the brokers. */
export interface ClientListener {
  /** For example `SASL_SSL`. */
  readonly protocol: string;
  /** Lines of server.properties. */
  readonly properties: readonly string[];
  /** Further arguments for formatting the log directories, such as `--add-scram …`. */
  readonly format?: readonly string[];
}

const plain: ClientListener = { protocol: 'PLAINTEXT', properties: [] };

interface Ports {
  readonly clients: number;
  /** Port on which other brokers connect. */
  readonly brokers: number;
  readonly controllers: number;
}

interface Broker {
  readonly id: number;
  readonly ports: Ports;
  readonly folder: string;
  child: ChildProcess | undefined;
}

/** Three brokers of Apache Kafka (KRaft) on loopback ports of this machine. Each is a controller too. */
export class RealCluster implements KafkaCluster {
  private constructor(
    private readonly folder: string,
    private readonly classPath: string,
    private readonly all: readonly Broker[],
  ) {}

  /**
   * @param alone whether only the first broker is started, as the single controller; the others can be started later
   */
  static async start(line: KafkaLine, listener: ClientListener = plain, alone = false): Promise<RealCluster> {
    const classPath = kafkaClassPath(line);
    const folder = mkdtempSync(join(tmpdir(), 'kafka-brokers-'));
    const ports = await freePorts(9);
    const brokers = [1, 2, 3].map((id, n): Broker => {
      const [clients = 0, brokers = 0, controllers = 0] = ports.slice(3 * n);
      const own = join(folder, String(id));
      mkdirSync(own);
      return { id, ports: { clients, brokers, controllers }, folder: own, child: undefined };
    });
    for (const broker of brokers) {
      const controllers = alone ? brokers.slice(0, 1) : brokers;
      writeFileSync(join(broker.folder, 'server.properties'), settings(broker, controllers, listener).join('\n'));
    }
    const cluster = new RealCluster(folder, classPath, brokers);
    try {
      await Promise.all(brokers.map((broker) => cluster.format(broker, listener.format ?? [])));
      await Promise.all(brokers.slice(0, alone ? 1 : undefined).map(({ id }) => cluster.bringUp(id)));
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get brokers(): string {
    return this.all.map(({ ports }) => `127.0.0.1:${ports.clients}`).join(',');
  }

  get ids(): readonly number[] {
    return this.all.map(({ id }) => id);
  }

  /** Resolves when the broker accepts connections. */
  async bringUp(id: number): Promise<void> {
    const broker = this.broker(id);
    const out = join(broker.folder, 'out.log');
    const child = spawn(
      'bash',
      // The process ends with its standard input, so it cannot outlive the tests.
      [
        '-c',
        `java "$@" >> '${out}' 2>&1 & pid=$!; cat > /dev/null; kill -9 $pid`,
        'broker',
        ...this.java(),
        'kafka.Kafka',
        join(broker.folder, 'server.properties'),
      ],
      { stdio: ['pipe', 'ignore', 'ignore'] },
    );
    broker.child = child;
    for (let n = 0; n < 600; n++) {
      if (await answers(broker.ports.clients)) return;
      if (child.exitCode !== null) break;
      await setTimeout(100);
    }
    throw new Error(`Broker ${id} did not start: ${readFileSync(out, 'utf8').slice(-2_000)}`);
  }

  /** Ends the broker as if its machine lost power. */
  async kill(id: number): Promise<void> {
    const broker = this.broker(id);
    const { child } = broker;
    if (child === undefined) return;
    broker.child = undefined;
    const ended = once(child, 'exit');
    child.stdin?.end();
    await ended;
    while (await answers(broker.ports.clients)) await setTimeout(50);
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map(({ id }) => this.kill(id)));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private broker(id: number): Broker {
    const found = this.all.find((broker) => broker.id === id);
    if (found === undefined) throw new Error(`There is no broker ${id}.`);
    return found;
  }

  private async format({ folder }: Broker, more: readonly string[]): Promise<void> {
    const words = ['format', '-t', 'Y291bnRlcnNpZ24tdGVzdA', '-c', join(folder, 'server.properties'), ...more];
    await promisify(execFile)('java', [...this.java(), 'kafka.tools.StorageTool', ...words]);
  }

  private java(): readonly string[] {
    return ['-Xms96m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', this.classPath];
  }
}

function settings(broker: Broker, controllers: readonly Broker[], listener: ClientListener): readonly string[] {
  const { id, ports, folder } = broker;
  const voters = controllers.map((one) => `${one.id}@127.0.0.1:${one.ports.controllers}`).join(',');
  const [clients, brokers] = [`CLIENTS://127.0.0.1:${ports.clients}`, `BROKERS://127.0.0.1:${ports.brokers}`];
  const controls = controllers.includes(broker);
  return [
    `process.roles=${controls ? 'broker,controller' : 'broker'}`,
    `node.id=${id}`,
    `controller.quorum.voters=${voters}`,
    `listeners=${clients},${brokers}${controls ? `,CONTROLLERS://127.0.0.1:${ports.controllers}` : ''}`,
    `advertised.listeners=${clients},${brokers}`,
    `listener.security.protocol.map=CLIENTS:${listener.protocol},BROKERS:PLAINTEXT,CONTROLLERS:PLAINTEXT`,
    'controller.listener.names=CONTROLLERS',
    'inter.broker.listener.name=BROKERS',
    `log.dirs=${join(folder, 'log')}`,
    'auto.create.topics.enable=false',
    'default.replication.factor=3',
    'offsets.topic.replication.factor=3',
    'offsets.topic.num.partitions=5',
    'transaction.state.log.replication.factor=3',
    'transaction.state.log.min.isr=2',
    'group.min.session.timeout.ms=1000',
    ...listener.properties,
  ];
}

/**
 * Finds free ports below those that the system uses for outgoing connections, so that a broker that is restarted finds
 * its ports free.
 */
async function freePorts(count: number): Promise<readonly number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().listen(port, '127.0.0.1');
    server.once('error', () => resolve(false)).once('listening', () => server.close(() => resolve(true)));
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
