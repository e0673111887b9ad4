import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { BrokerProxy } from './broker-proxy.js';
import { type KafkaLine, kafkaVersions, whyNoBrokers } from './kafka-jars.js';
import { RealCluster } from './real-cluster.js';

export interface KafkaCluster {
  /** Bootstrap addresses, in the form of KAFKA_BROKERS. */
  readonly brokers: string;
  /**
   * Only for the stand-in: makes each broker refuse this many SyncGroup requests, so that members have to join the
   * group again.
   */
  readonly joinAgain?: (times: number) => void;
  /** Only for the stand-in: sets the size of the largest batch that brokers accept, in bytes. */
  readonly takes?: (bytes: number) => void;
  stop(): Promise<void>;
}

const needed =
  'The Kafka specs need kcat (apt-get install -y kcat), Java and Maven with TEST_KAFKA=3.9 or 4.1, or brokers (KAFKA_BROKERS).';

/** Returns the version of Kafka that the specs start themselves, or undefined if they start none. */
export function kafkaLine(): KafkaLine | undefined {
  const named = process.env['TEST_KAFKA'];
  if (!named) return undefined;
  if (named in kafkaVersions) return named as KafkaLine;
  throw new Error(`TEST_KAFKA has to be one of: ${Object.keys(kafkaVersions).join(', ')}.`);
}

/** Returns why specs with brokers cannot run on this machine, or undefined if they can. */
export function whyNoKafka(): string | undefined {
  if (process.env['KAFKA_BROKERS']) return undefined;
  const line = kafkaLine();
  if (line !== undefined) return whyNoBrokers([line]);
  return spawnSync('kcat', ['-V']).status === 0 ? undefined : needed;
}

/**
 * Returns the brokers at KAFKA_BROKERS, starts those of TEST_KAFKA, or starts a mock cluster of three brokers on TCP
 * ports of this machine.
 */
export async function openCluster(): Promise<KafkaCluster> {
  const named = process.env['KAFKA_BROKERS'];
  if (named) return { brokers: named, stop: async () => undefined };
  const line = kafkaLine();
  if (line !== undefined) return RealCluster.start(line);
  const child = spawn('kcat', ['-P', '-b', 'none:1', '-t', 'warm', '-X', 'test.mock.num.brokers=3', '-d', 'mock'], {
    // The process ends with its standard input, so it cannot outlive the tests.
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const addresses = await bootstrap(child);
  child.stderr?.resume();
  const proxies = await Promise.all(addresses.map((address) => BrokerProxy.open(address)));
  const ports = new Map(proxies.map(({ target, port }) => [target, port]));
  for (const proxy of proxies) proxy.stands(ports);
  return {
    brokers: proxies.map(({ port }) => `127.0.0.1:${port}`).join(','),
    joinAgain(times) {
      for (const proxy of proxies) proxy.joinAgain = times;
    },
    takes(bytes) {
      for (const proxy of proxies) proxy.takes = bytes;
    },
    stop: async () => {
      await Promise.all(proxies.map((proxy) => proxy.close()));
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function bootstrap(child: ChildProcess): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`kcat ended: ${said.slice(-500)}`)));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = said.length > 20_000 ? said : said + text;
      const found = /bootstrap\.servers=([\d.:,]+)\r?\n/.exec(said)?.[1];
      if (found !== undefined) resolve(found.split(',').map((address) => Number(address.split(':')[1])));
    });
  });
}
