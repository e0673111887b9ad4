// Imports no project files, because jest's configuration and CI run it in Node without compiling.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Names of specs of the second tier. The other specs of that tier begin with the line `// Second tier.`
 *
 * The second tier is run by `npm run test:full`, but not by `npm test`. It contains what is slow: stand-in engines, killed
 * processes, take-overs, several services at once, inputs of tens of megabytes, floods of calls, further browser pages and
 * real site builds. It also contains cases in which many mechanisms meet. The first tier has a plain case of each.
 */
export const secondTierNames: readonly RegExp[] = [
  /\.(eventstoredb|mongodb|kafka)\.spec\.ts$/,
  /\/test\/faults\/[^/]+\/(eventstoredb|mongodb|kafka)-[^/]*\.spec\.ts$/,
  /[-/](kills?|killed-writer|take-over|processes|rolling-upgrade)\.spec\.ts$/,
  /\/test\/(clients|bench)\/.*\.spec\.ts$/,
];

export const isSecondTier = (file: string, text: string) =>
  /^(?:\/\/ Engines: [^\n]*\n)?\/\/ Second tier\.\n/.test(text) ||
  secondTierNames.some((name) => name.test(`/${file}`));

export const secondTierOf = (root: string, files: readonly string[]): readonly string[] =>
  files.filter((file) => isSecondTier(file, readFileSync(join(root, file), 'utf8')));

/** Specs of the second tier that a change concerns. A change that no line matches concerns all of them. */
const concerns: readonly { readonly changed: RegExp; readonly specs: RegExp | undefined }[] = [
  // Every change of the OpenAPI document also changes its snapshot.
  {
    changed: /^test\/(clients\/|contract\/__snapshots__\/open-api\.)/,
    specs: /test\/clients\/(open-api|python|typescript)/,
  },
  { changed: /^src\/(http\/(mcp|oauth)|areas\/connections)\//, specs: /mcp-conformance/ },
  { changed: /^bench\/.*\.mjs$/, specs: /test\/bench\// },
  { changed: /^(src\/areas\/sites\/README\.md|test\/readme\/)/, specs: /sites-page/ },
  // The second tier uses none of these files.
  {
    changed: /\.md$|\.spec\.ts$|^(docker|test\/(api|architecture|browser|contract|docker|histories))\/|^\.gitignore$/,
    specs: undefined,
  },
  { changed: /^src\/http\/pages\//, specs: /approval-(pages-|judging)|audit-pages/ },
  { changed: /^src\/site-module\//, specs: /own-app|site-module|site-visits|realtime\.browser/ },
  { changed: /^src\/http\/open-api\//, specs: undefined },
  { changed: /^(src\/areas|projections)\/flows\//, specs: /flow-/ },
  { changed: /^(src\/areas|projections)\/agents\//, specs: /agents?-/ },
  { changed: /^(src\/areas|projections)\/audit\//, specs: /audit-|undo-/ },
  { changed: /^(src\/areas|projections)\/approvals\//, specs: /approvals-|approval-(judging|pages-)/ },
  { changed: /^(src\/areas|projections)\/account-events\//, specs: /account-events?-|across-|schedules-/ },
  {
    changed: /^(src\/areas|projections)\/triggers\//,
    specs: /account-events?-|across-|inbound-|schedules-|smtp-|take-over|service-kill|large-deliveries/,
  },
  { changed: /^(src\/areas|projections)\/mailboxes\//, specs: /mail-|roles/ },
  { changed: /^(src\/areas|projections)\/secrets\//, specs: /vault|sandbox|log-transfer/ },
  {
    changed: /^src\/(areas\/sites\/publication|adapters\/(site-builder|packages))\//,
    specs: /publish-|bundle-deps|packages|site-builder|site-visits|sites-page/,
  },
  { changed: /^src\/(areas\/sites\/source-control|adapters\/git[-/])/, specs: /git-/ },
  { changed: /^src\/areas\/sites\/snapshot\//, specs: /large-snapshots/ },
  { changed: /^src\/areas\/sites\/file\//, specs: /file-transfers/ },
  { changed: /^src\/areas\/sites\/(analytics|traffic)\//, specs: /site-visits/ },
  { changed: /^src\/areas\/sites\//, specs: undefined },
  {
    changed: /^(src\/areas|projections)\/workspace\//,
    specs: /ai-credits|members-erased|recording-quota|roles|service-kill/,
  },
  { changed: /^src\/(areas|http)\/realtime\//, specs: /realtime|autobahn|broadcast|silent-websockets/ },
  { changed: /^src\/cli\//, specs: /audit-|command-line-|log-/ },
  { changed: /^src\/smtp\//, specs: /mail-|roles|service-stop|smtp-/ },
];

/** The specs of the second tier that the changed files concern. All of them if the changes are unknown (undefined). */
export function secondTierFor(changed: readonly string[] | undefined, specs: readonly string[]): readonly string[] {
  if (changed === undefined) return specs;
  const wanted = new Set(changed.filter((file) => specs.includes(file)));
  for (const file of changed.filter((one) => !wanted.has(one))) {
    const line = concerns.find(({ changed }) => changed.test(file));
    if (line === undefined) return specs;
    for (const spec of specs) if (line.specs?.test(spec)) wanted.add(spec);
  }
  return specs.filter((spec) => wanted.has(spec));
}

/** Specs that also run on real Kafka brokers if Java and Maven are installed: contract suite and faults. */
export const kafkaSpecs = /test\/(contracts|faults)\/.*kafka/;

/** The Kafka adapter, what starts it, what publishes work through it, and the support of its specs. */
const carriesKafka =
  /^(src\/adapters\/messages|src\/adapters\/broadcast\/kafka|test\/support\/kafka)\/|^src\/ports\/(messages|broadcast|event-publisher)\.port\.ts$|^src\/engine\/(messages\/event-feed|step-work\/step-work)\.ts$|^src\/engine\/jobs\/|^src\/areas\/.*-(work|requests)\.|^package-lock\.json$|^test\/(contracts\/(messages|broadcast)|faults\/.*kafka)|^test\/tiers\/real-kafka\.mjs$/;

/** Whether a change must be tested on real Kafka brokers. True if the changes are unknown (undefined). */
export const concernsKafka = (changed: readonly string[] | undefined) =>
  changed === undefined || changed.some((file) => carriesKafka.test(file) && !/^src\/.*\.spec\.ts$/.test(file));

/** Contract suites and specs of engine adapters run on engines. Other specs must declare it in their first line. */
const ofEngines = /\/test\/contracts\/|eventstoredb|mongodb|kafka/;

/**
 * Whether the spec runs with this value of TEST_ENGINES, `1` or `several`. The first line of a spec declares it as `//
 * Engines: one process.` or `// Engines: one process, and several.`
 */
export function runsOnEngines(file: string, text: string, engines: string): boolean {
  const [, processes] = /^\/\/ Engines: (one process|one process, and several)\.\n/.exec(text) ?? [];
  return engines === 'several'
    ? processes === 'one process, and several'
    : processes !== undefined || ofEngines.test(file);
}
