// Scripts of the tests run this file with Node directly, so it must not import other files.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Versions of Apache Kafka on which the specs run, by their names in TEST_KAFKA. */
export const kafkaVersions = { '3.9': '3.9.1', '4.1': '4.1.0' } as const;
export type KafkaLine = keyof typeof kafkaVersions;
export const kafkaLines = Object.keys(kafkaVersions) as readonly KafkaLine[];

/** Returns why brokers cannot be started on this machine, or undefined if they can. */
export function whyNoBrokers(lines: readonly KafkaLine[] = kafkaLines): string | undefined {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const version = Number(/version "(\d+)/.exec(java.stderr ?? '')?.[1] ?? 0);
  const isFetched = lines.every((line) => existsSync(jarsOf(line)));
  const hasMaven = isFetched || spawnSync('mvn', ['-v']).status === 0;
  const missing = [version < 17 ? 'Java 17' : [], hasMaven ? [] : 'Maven'].flat();
  return missing.length === 0 ? undefined : `Kafka's own brokers need ${missing.join(' and ')} on this machine.`;
}

/** Fetches missing jars. Returns why this version of Kafka cannot be started, or undefined if it can. */
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
 * Returns the class path of this version of Kafka. Its jars are fetched once, with Maven, into a cache outside the
 * repository.
 * @throws Error if they cannot be fetched
 */
export function kafkaClassPath(line: KafkaLine): string {
  const jars = jarsOf(line);
  if (!existsSync(jars)) fetchJars(kafkaVersions[line], jars);
  return join(jars, '*');
}

const cache = () => join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'countersign-tests');
const jarsOf = (line: KafkaLine) => join(cache(), `kafka-${kafkaVersions[line]}`);

/**
 * Fetches the jars into a folder with another name, and renames it once all are there, so that an interrupted fetch is
 * not mistaken for a complete one. Concurrent fetches share nothing, not even Maven's repository, which two processes
 * can corrupt. Jars whose checksum differs from the publisher's are refused.
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

/** If another fetch has finished first, its folder is used, because it has the same content. */
function putInPlace(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

/** Removes the folders of fetches that were killed. */
function removeAbandoned(): void {
  for (const name of readdirSync(cache()).filter((one) => one.startsWith('fetching-'))) {
    const folder = join(cache(), name);
    const since = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > 2 * fetchMs) rmSync(folder, { recursive: true, force: true });
  }
}
