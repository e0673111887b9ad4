import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type KafkaLine, kafkaClassPath } from './kafka-jars.js';
import type { KafkaCluster } from './mock-cluster.js';

/** How clients reach the brokers. */
export interface ClientListener {
  /** `SASL_SSL`, say. */
  readonly protocol: string;
  /** Lines of server.properties. */
  readonly properties: readonly string[];
  /** Further arguments for formatting the log directories: `--add-scram …`. */
  readonly format?: readonly string[];
}

const plain: ClientListener = { protocol: 'PLAINTEXT', properties: [] };

interface Broker {
  readonly id: number;
  readonly port: number;
  readonly folder: string;
  child: ChildProcess | undefined;
}

/** Three brokers of Apache Kafka itself (KRaft, each a controller too) on loopback ports of this machine. */
export class RealCluster implements KafkaCluster {
  private constructor(
    private readonly folder: string,
    private readonly classPath: string,
    private readonly all: readonly Broker[],
  ) {}

  static async start(line: KafkaLine, listener: ClientListener = plain): Promise<RealCluster> {
    const classPath = kafkaClassPath(line);
    const folder = mkdtempSync(join(tmpdir(), 'kafka-brokers-'));
    const ids = [1, 2, 3];
    const ports = await freePorts(2 * ids.length);
    const portOf = (id: number, controller: boolean) => ports[(id - 1) * 2 + (controller ? 1 : 0)] ?? 0;
    const voters = ids.map((id) => `${id}@127.0.0.1:${portOf(id, true)}`).join(',');
    const brokers = ids.map((id) => {
      const own = join(folder, String(id));
      mkdirSync(own);
      const lines = settings(id, own, portOf(id, false), portOf(id, true), voters, listener);
      writeFileSync(join(own, 'server.properties'), lines.join('\n'));
      return { id, port: portOf(id, false), folder: own, child: undefined };
    });
    const cluster = new RealCluster(folder, classPath, brokers);
    try {
      for (const broker of brokers) cluster.format(broker, listener.format ?? []);
      await Promise.all(brokers.map(({ id }) => cluster.bringUp(id)));
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get brokers(): string {
    return this.all.map(({ port }) => `127.0.0.1:${port}`).join(',');
  }

  /** Resolves when it takes connections. */
  async bringUp(id: number): Promise<void> {
    const broker = this.broker(id);
    const out = join(broker.folder, 'out.log');
    const child = spawn(
      'bash',
      // It ends with its standard input, so that it never outlives the tests.
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
      if (await answers(broker.port)) return;
      if (child.exitCode !== null) break;
      await setTimeout(100);
    }
    throw new Error(`Broker ${id} did not start: ${readFileSync(out, 'utf8').slice(-2_000)}`);
  }

  /** As when its machine loses power. */
  async kill(id: number): Promise<void> {
    const broker = this.broker(id);
    const { child } = broker;
    if (child === undefined) return;
    broker.child = undefined;
    const ended = once(child, 'exit');
    child.stdin?.end();
    await ended;
    while (await answers(broker.port)) await setTimeout(50);
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

  private format(broker: Broker, more: readonly string[]): void {
    const clusterId = 'Y291bnRlcnNpZ24tdGVzdA';
    const config = join(broker.folder, 'server.properties');
    execFileSync(
      'java',
      [...this.java(), 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', config, ...more],
      {
        stdio: 'pipe',
      },
    );
  }

  private java(): readonly string[] {
    return ['-Xms96m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', this.classPath];
  }
}

function settings(
  id: number,
  folder: string,
  port: number,
  controllerPort: number,
  voters: string,
  { protocol, properties }: ClientListener,
): readonly string[] {
  return [
    'process.roles=broker,controller',
    `node.id=${id}`,
    `controller.quorum.voters=${voters}`,
    `listeners=CLIENTS://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    `advertised.listeners=CLIENTS://127.0.0.1:${port}`,
    `listener.security.protocol.map=CLIENTS:${protocol},CONTROLLER:PLAINTEXT`,
    'controller.listener.names=CONTROLLER',
    'inter.broker.listener.name=CLIENTS',
    `log.dirs=${join(folder, 'log')}`,
    'auto.create.topics.enable=false',
    'default.replication.factor=3',
    'offsets.topic.replication.factor=3',
    'offsets.topic.num.partitions=5',
    'transaction.state.log.replication.factor=3',
    'transaction.state.log.min.isr=2',
    'group.min.session.timeout.ms=1000',
    ...properties,
  ];
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
