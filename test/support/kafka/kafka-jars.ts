import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Versions of Apache Kafka that the specs run on, by the name that TEST_KAFKA gives them. */
export const kafkaVersions = { '3.9': '3.9.1', '4.1': '4.1.0' } as const;
export type KafkaLine = keyof typeof kafkaVersions;

/** Why brokers cannot be started here; undefined when they can. */
export function whyNoBrokers(): string | undefined {
  const lacks = (program: string, flag: string) => spawnSync(program, [flag]).status !== 0;
  const missing = [lacks('java', '-version') ? 'Java 17' : [], lacks('mvn', '-v') ? 'Maven' : []].flat();
  return missing.length === 0 ? undefined : `Kafka's own brokers need ${missing.join(' and ')} on this machine.`;
}

/** The class path of that Kafka. Its jars are fetched once with Maven, into a cache outside of the repository. */
export function kafkaClassPath(line: KafkaLine): string {
  const version = kafkaVersions[line];
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'countersign-tests');
  const jars = join(cache, `kafka-${version}`);
  if (!existsSync(jars)) fetchJars(version, cache, jars);
  return join(jars, '*');
}

/** Under another name until all are there, so that a fetch that is cut short is not taken for whole. */
function fetchJars(version: string, cache: string, jars: string): void {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'fetching-'));
  const kafka = `<groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${version}</version>`;
  const own = '<groupId>countersign</groupId><artifactId>brokers</artifactId><version>1</version>';
  const project = `<modelVersion>4.0.0</modelVersion>${own}<dependencies><dependency>${kafka}</dependency></dependencies>`;
  try {
    writeFileSync(join(folder, 'pom.xml'), `<project xmlns="http://maven.apache.org/POM/4.0.0">${project}</project>`);
    const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';
    execFileSync('mvn', ['-q', '-B', copy, '-DoutputDirectory=jars'], { cwd: folder, stdio: 'pipe', timeout: 300_000 });
    renameSync(join(folder, 'jars'), jars);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
