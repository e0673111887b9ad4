// Imports no project files, because jest's configuration and CI run it in Node without compiling.

/**
 * Specs that `npm test` leaves to `npm run test:full`: those with stand-in engines, killed processes, take-overs, several
 * services at once, inputs of tens of megabytes, or floods of calls, further browser pages and real site builds, and those
 * in which many mechanisms meet. Of each, the first tier has a plain case.
 */
export const secondTier: readonly RegExp[] = [
  /\.(eventstoredb|mongodb|kafka)\.spec\.ts$/,
  /\/test\/faults\/[^/]+\/(eventstoredb|mongodb|kafka)-.*\.spec\.ts$/,
  /[-/](kills?|killed-writer|take-over|processes|rolling-upgrade)\.spec\.ts$/,
  /\/test\/api\/[^/]+\/(engines|engines-namespaces|hostile-keys|roles|log-transfer|log-transfer-mail|fair-shares|private-files|approvals-stream|approvals-stream-limits|recording-quota|newer-version|visitor-floods|large-(?:deliveries|runs|snapshots)|git-host|git-host-connection)\.spec\.ts$/,
  /\/test\/api\/[^/]+\/(access-policy-limits|account-event-retention|across-(?:builtins|steps|time)|agents-hostile|audit-(?:bad-input|export-large|forks|seal-tampering|seals-gone|tampering|time-travel)|bundle-deps|campaign-sharing|command-line-rebuild|dry-run-equals-real|file-transfers|git-branches|inbound-retention|large-texts|log-transfer-refusals|mail-hour|members-erased|one-judge|parked-events-restart|processor-retries|publish-builds|rows-erasing(?:-runs)?|server-proxy-hostile|sign-up-limits|site-published|smtp-in-limits|undo-change-kinds|visitor-quota|visitor-searches)\.spec\.ts$/,
  /\/test\/(clients|bench)\/.*\.spec\.ts$/,
  /\/test\/readme\/sites-page\.spec\.ts$/,
  /\/test\/browser\/(approval-judging|approval-pages-again|audit-pages|own-app|realtime|site-module|site-visits)\.browser\.spec\.ts$/,
  /\/test\/contracts\/[^/]+\/(log-transfer|sandbox\.child-process|schema-check\.worker|site-builder-(?:limits|names)\.child-process|mail-parser\.child-process|packages\.npm|packages-redirects\.npm|site-builder-packages\.child-process|egress-limits\.http|event-store-thread\.embedded|git-repositories\.isomorphic)\.spec\.ts$/,
  /\/test\/faults\/[^/]+\/(.*-crash|audience-threads|autobahn|log-import|open-sockets|read-store-locked|silent-websockets|run-claims|run-starts-in-doubt|(event-store|read-store|vault)-thread|sandbox-hostile|service-drain|service-start|service-stop|service-stop-work)\.spec\.ts$/,
];

export const isSecondTier = (file: string) => secondTier.some((pattern) => pattern.test(`/${file}`));

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
    changed: /\.md$|^(docker|test\/(api|architecture|browser|contract|docker|histories))\/|^\.gitignore$/,
    specs: undefined,
  },
  { changed: /^(src|projections)\/.*\.spec\.ts$/, specs: undefined },
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
  const wanted = new Set(changed.filter(isSecondTier));
  for (const file of changed.filter((one) => !isSecondTier(one))) {
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
