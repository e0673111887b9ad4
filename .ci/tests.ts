// Runs the whole first tier, then the specs of the second tier that the change concerns, as far as time allows.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { kafkaLines, whyNoBrokers, whyNoKafkaOf } from '../test/support/kafka/kafka-jars.ts';
import { startServices } from '../test/tiers/started-services.ts';
import { type FileResult, nothingRun, type Part, summaryOf } from '../test/tiers/summary.ts';
import { concernsKafka, kafkaSpecs, secondTierFor } from '../test/tiers/tiers.ts';

const minute = 60_000;
const root = join(import.meta.dirname, '..');
const filter = process.argv.slice(2);
const began = Number(process.env['CI_BEGAN'] ?? Date.now() / 1_000) * 1_000;
/** A run may take 25 minutes. Three of them are a reserve for slow machines. */
const firstEnds = began + 22 * minute;
/** The second tier and what follows it run until then. On a slow machine, the first tier may run for longer. */
const allEnds = began + (Number(process.env['CI_MINUTES'] ?? 15) - 1) * minute;
/** Reserved for running failed spec files again. */
const againMs = minute;
const folder = mkdtempSync(join(tmpdir(), 'countersign-ci-'));

let stopRunning: () => void = () => undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    stopRunning();
    process.exit(1);
  });
}

const say = (line: string) => process.stdout.write(`${line}\n`);

function git(...words: readonly string[]): string | undefined {
  try {
    return execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/**
 * The files changed since the base branch. Undefined if they are unknown: without git, without an origin, in a shallow
 * clone, or if nothing differs.
 */
function changedFiles(): { readonly since: string; readonly files: readonly string[] } | undefined {
  const head = git('rev-parse', 'HEAD');
  for (const ref of [process.env['CI_BASE'], 'origin/HEAD', 'origin/main', 'origin/master']) {
    const base = ref ? git('merge-base', ref, 'HEAD') : undefined;
    if (!base || base === head) continue;
    const files = git('diff', '--name-only', '--no-renames', base);
    if (files !== undefined) return { since: `${ref} (${base.slice(0, 9)})`, files: files.split('\n').filter(Boolean) };
  }
  return undefined;
}

const program = ['--no-warnings', '--max-semi-space-size=64', 'node_modules/jest/bin/jest.js'];

/** The spec files of jest's configuration, which leaves out those for Kafka on machines without it. */
function specsOf(tier: 'first' | 'second', ...words: readonly string[]): readonly string[] {
  const env = { ...process.env, TEST_TIER: tier };
  const options = { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] } as const;
  const listed = execFileSync(process.execPath, [...program, '--listTests', ...words], options);
  return listed
    .split('\n')
    .filter(Boolean)
    .map((file) => relative(root, file))
    .sort();
}

function jest(
  name: string,
  environment: Readonly<Record<string, string>>,
  files: readonly string[],
  until: number,
  ...more: readonly string[]
) {
  const into = join(folder, `${name}.jsonl`);
  const reporter = join(root, 'test/tiers/file-results.reporter.ts');
  const words = ['--ci', '--reporters=default', `--reporters=${reporter}`, '--passWithNoTests', ...more];
  const paths = files.length > 0 ? ['--runTestsByPath', ...files] : filter;
  return new Promise<Part>((resolve) => {
    // The child has its own process group, so that everything its specs have started can be killed.
    const child = spawn(process.execPath, [...program, ...words, ...paths], {
      cwd: root,
      env: { ...process.env, ...environment, FILE_RESULTS: into },
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    });
    const stop = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The group has ended already.
      }
    };
    stopRunning = stop;
    let cutOff = false;
    const timer = setTimeout(
      () => {
        cutOff = true;
        stop();
      },
      Math.max(1, until - Date.now()),
    );
    const ended = (code: number | null) => {
      clearTimeout(timer);
      stop();
      const lines = existsSync(into) ? readFileSync(into, 'utf8').split('\n').filter(Boolean) : [];
      const results = lines.map((line): FileResult => JSON.parse(line));
      resolve({
        ...nothingRun,
        results: results.map((one) => ({ ...one, file: relative(root, one.file) })),
        cutOff,
        failed: !cutOff && code !== 0,
      });
    };
    child.on('exit', ended);
    child.on('error', () => ended(1));
  });
}

const change = changedFiles();
const wanted = (file: string) => filter.length === 0 || filter.some((word) => file.includes(word));

const specsWithProperties: ReadonlySet<string> = new Set(
  globSync('{src,projections,test}/**/*.spec.ts', { cwd: root }).filter((file) =>
    readFileSync(join(root, file), 'utf8').includes('support/depth.js'),
  ),
);

/** Runs as many of the chosen files as fit into the time, and prints those that were left out. */
async function asTimeGoes(
  name: string,
  environment: Readonly<Record<string, string>>,
  chosen: readonly string[],
  until: number,
) {
  if (chosen.length === 0) return nothingRun;
  const isTime = until - Date.now() > minute;
  const part = isTime ? await jest(name, environment, chosen, until) : { ...nothingRun, cutOff: true };
  if (part.cutOff) sayLeftOut(chosen, part.results);
  return part;
}

function sayLeftOut(chosen: readonly string[], results: readonly FileResult[]): void {
  const ended = new Set(results.map(({ file }) => file));
  const leftOut = chosen.filter((file) => !ended.has(file));
  if (leftOut.length === 0) return;
  say(`\nLeft out, because the time was over: ${leftOut.length} spec files, which npm run test:full runs.`);
  for (const file of leftOut) say(`  ${file}`);
}

async function secondPart(until: number): Promise<Part> {
  const there = specsOf('second');
  const chosen = secondTierFor(change?.files, there).filter(wanted);
  const why = change === undefined ? 'nobody can tell what changed' : `changed since ${change.since}`;
  say(`\nSecond tier: ${chosen.length} of ${there.length} spec files (${why}).`);
  if (!there.some((file) => file.includes('kafka'))) say("Kafka's are left out: they need kcat, or KAFKA_BROKERS.");
  return asTimeGoes('second', secondTier, chosen, until);
}

/** The specs to run on real Kafka brokers, the most informative first. */
function kafkaChosen(): readonly string[] {
  if (!concernsKafka(change?.files)) return [];
  const first = ['messages.kafka', 'kafka-broker-kill', 'messages-secure', 'kafka-topics', 'kafka-event-feed'];
  const chosen = specsOf('second').filter((file) => kafkaSpecs.test(file) && wanted(file));
  return [...new Set([...first.flatMap((name) => chosen.filter((file) => file.includes(name))), ...chosen])];
}

/** Starts with the newest brokers. Each spec file starts three brokers of its own, so files run one at a time. */
async function kafkaPart(chosen: readonly string[]): Promise<readonly Part[]> {
  const parts: Part[] = [];
  if (chosen.length === 0) return parts;
  for (const line of [...kafkaLines].reverse()) {
    const isTime = () => allEnds - Date.now() > minute;
    const missing = isTime() ? whyNoKafkaOf(line) : 'The time is over.';
    say(`\nKafka ${line} itself: ${missing === undefined ? `${chosen.length} spec files.` : `skipped. ${missing}`}`);
    if (missing !== undefined) continue;
    const environment = { ...secondTier, TEST_KAFKA: line };
    const tried: Part[] = [];
    for (const [at, file] of chosen.entries()) {
      if (!isTime()) break;
      const part = await jest(`kafka-${line}-${at}`, environment, [file], allEnds);
      const mayTry = tried.filter(({ results }) => results.some(({ failed }) => failed > 0)).length < mostTriedAgain;
      tried.push(mayTry ? await failuresAgain(part, `kafka-${line}-${at}`, environment, allEnds) : part);
    }
    sayLeftOut(
      chosen,
      tried.flatMap(({ results }) => results),
    );
    parts.push(...tried);
  }
  return parts;
}

/**
 * The first tier runs a tenth of the cases of each property. This runs all cases of the properties that the change
 * concerns.
 */
async function deepPart(): Promise<Part> {
  const code = change?.files.filter((file) => file.endsWith('.ts') && existsSync(join(root, file)));
  const related =
    code === undefined ? specsOf('first') : code.length > 0 ? specsOf('first', '--findRelatedTests', ...code) : [];
  const chosen = related.filter((file) => specsWithProperties.has(file) && wanted(file));
  say(`\nWith all their cases: ${chosen.length} of ${specsWithProperties.size} spec files with properties.`);
  return asTimeGoes('deep', { ...firstTier, TEST_DEPTH: 'full' }, chosen, allEnds);
}

/**
 * Runs failed files again, one at a time, to name the flaky ones in the summary. CI fails either way. Many failures at
 * once are not repeated, because flakiness does not explain them. Properties are not repeated, because another run
 * tries other cases.
 */
async function failuresAgain(
  part: Part,
  name: string,
  environment: Readonly<Record<string, string>>,
  until: number,
): Promise<Part> {
  const broken = part.results.filter(({ failed }) => failed > 0).map(({ file }) => file);
  const isProperty = broken.some((file) => readFileSync(join(root, file), 'utf8').includes("from 'fast-check'"));
  if (isProperty || broken.length === 0 || broken.length > mostTriedAgain || until - Date.now() < minute) return part;
  say(`\nOnce more, one at a time: ${broken.length} spec files of ${name} that failed.`);
  const again = await jest(`${name}-again`, environment, broken, until, '--runInBand');
  return { ...part, flaky: again.results.filter(({ failed }) => failed === 0).map(({ file }) => file) };
}

const mostTriedAgain = 5;

const firstTier = { TEST_TIER: 'first' };
const first = await failuresAgain(await jest('first', firstTier, [], firstEnds), 'first', firstTier, firstEnds);
const secondTier = { TEST_TIER: 'second' };
const forKafka = kafkaChosen();
/** Reserved for real Kafka brokers. If they concern the change, the contract suite and the broker kill take three minutes. */
const kafkaMs = (change === undefined ? 1 : 5) * minute;
const kafkaBegins =
  allEnds - (forKafka.length > 0 && whyNoBrokers() === undefined ? Math.min(kafkaMs, (allEnds - Date.now()) / 2) : 0);
const second = await failuresAgain(await secondPart(kafkaBegins - againMs), 'second', secondTier, kafkaBegins);
const onKafka = await kafkaPart(forKafka);
const deep = await deepPart();
rmSync(folder, { recursive: true, force: true });

const parts = [first, second, ...onKafka, deep];
const ran = new Set(parts.flatMap(({ results }) => results.map(({ file }) => file)));
const { failed, lines } = summaryOf(first, parts.slice(1), startServices(root, [...ran]));
for (const line of ['', ...lines]) say(line);
process.exitCode = failed > 0 ? 1 : 0;
