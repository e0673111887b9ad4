// Imports nothing of ours, so that Node can run it as it stands: the scripts of the tests do.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Versions of Apache Kafka that the specs run on, by the name that TEST_KAFKA gives them. */
export const kafkaVersions = { '3.9': '3.9.1', '4.1': '4.1.0' } as const;
export type KafkaLine = keyof typeof kafkaVersions;
export const kafkaLines = Object.keys(kafkaVersions) as readonly KafkaLine[];

/** Why brokers cannot be started here; undefined when they can. */
export function whyNoBrokers(lines: readonly KafkaLine[] = kafkaLines): string | undefined {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const version = Number(/version "(\d+)/.exec(java.stderr ?? '')?.[1] ?? 0);
  const isFetched = lines.every((line) => existsSync(jarsOf(line)));
  const hasMaven = isFetched || spawnSync('mvn', ['-v']).status === 0;
  const missing = [version < 17 ? 'Java 17' : [], hasMaven ? [] : 'Maven'].flat();
  return missing.length === 0 ? undefined : `Kafka's own brokers need ${missing.join(' and ')} on this machine.`;
}

/** Fetches what is missing. Why that Kafka cannot be started here; undefined when it can. */
export function whyNoKafkaOf(line: KafkaLine): string | undefined {
  const missing = whyNoBrokers([line]);
  if (missing !== undefined) return missing;
  try {
    kafkaClassPath(line);
    return undefined;
  } catch (error) {
    return `Its jars cannot be fetched: ${String(error).split('\n')[0]}`;
  }
}

/**
 * The class path of that Kafka. Its jars are fetched once with Maven, into a cache outside of the repository.
 * @throws Error when they cannot be fetched
 */
export function kafkaClassPath(line: KafkaLine): string {
  const jars = jarsOf(line);
  if (!existsSync(jars)) fetchJars(kafkaVersions[line], jars);
  return join(jars, '*');
}

const cache = () => join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'countersign-tests');
const jarsOf = (line: KafkaLine) => join(cache(), `kafka-${kafkaVersions[line]}`);

/**
 * Under another name until all are there, so that a fetch that is cut short is not taken for whole. Nothing is shared with
 * fetches that run meanwhile, not even Maven's repository, which two at once can spoil. What has another checksum than its
 * publisher gives is refused.
 */
function fetchJars(version: string, jars: string): void {
  mkdirSync(cache(), { recursive: true });
  removeAbandoned();
  const folder = mkdtempSync(join(cache(), 'fetching-'));
  const kafka = `<groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${version}</version>`;
  const own = '<groupId>countersign</groupId><artifactId>brokers</artifactId><version>1</version>';
  const project = `<modelVersion>4.0.0</modelVersion>${own}<dependencies><dependency>${kafka}</dependency></dependencies>`;
  try {
    writeFileSync(join(folder, 'pom.xml'), `<project xmlns="http://maven.apache.org/POM/4.0.0">${project}</project>`);
    const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';
    const places = ['-DoutputDirectory=jars', `-Dmaven.repo.local=${join(folder, 'repository')}`];
    const options = { cwd: folder, stdio: 'pipe', timeout: fetchMs } as const;
    execFileSync('mvn', ['-q', '-B', '--strict-checksums', copy, ...places], options);
    putInPlace(join(folder, 'jars'), jars);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const fetchMs = 300_000;

/** Another fetch may have been faster; it has the same. */
function putInPlace(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

/** What fetches that were killed have left behind. */
function removeAbandoned(): void {
  for (const name of readdirSync(cache()).filter((one) => one.startsWith('fetching-'))) {
    const folder = join(cache(), name);
    const since = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > 2 * fetchMs) rmSync(folder, { recursive: true, force: true });
  }
}
