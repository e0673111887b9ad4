// Imports nothing of ours, so that Node can run it as it stands: jest's configuration and the CI do.

/**
 * What `npm test` leaves to `npm run test:full`: stand-in engines, processes that are killed, work taken over from them,
 * and several services at once. Each starts processes or servers, and most wait for a silence.
 */
export const secondTier: readonly RegExp[] = [
  /\.(eventstoredb|mongodb|kafka)\.spec\.ts$/,
  /\/test\/faults\/[^/]+\/(eventstoredb|mongodb|kafka)-.*\.spec\.ts$/,
  /[-/](kills?|killed-writer|take-over|processes|rolling-upgrade)\.spec\.ts$/,
  /\/test\/api\/[^/]+\/(engines|engines-namespaces|hostile-keys|roles|log-transfer|log-transfer-mail|fair-shares|private-files|approvals-stream|approvals-stream-limits|recording-quota|newer-version|visitor-floods|large-forms|git-host|git-host-connection)\.spec\.ts$/,
  /\/test\/(clients|bench)\/.*\.spec\.ts$/,
  /\/test\/browser\/(approval-pages-again|own-app)\.browser\.spec\.ts$/,
  /\/test\/contracts\/[^/]+\/(log-transfer|sandbox\.child-process|schema-check\.worker|site-builder-limits\.child-process|mail-parser\.child-process|packages\.npm|git-repositories\.isomorphic)\.spec\.ts$/,
  /\/test\/faults\/[^/]+\/(.*-crash|audience-threads|autobahn|log-import|open-sockets|silent-websockets|run-claims|run-starts-in-doubt|sandbox-hostile|service-drain|service-start|service-stop|service-stop-work)\.spec\.ts$/,
];

export const isSecondTier = (file: string) => secondTier.some((pattern) => pattern.test(`/${file}`));

/** Changes here concern these specs of the second tier; a change that no line names concerns all of them. */
const concerns: readonly { readonly changed: RegExp; readonly specs: RegExp | undefined }[] = [
  // Every change of the OpenAPI document changes its snapshot.
  { changed: /^test\/(clients\/|contract\/__snapshots__\/open-api\.)/, specs: /test\/clients\/(python|typescript)/ },
  { changed: /^src\/(http\/(mcp|oauth)|areas\/connections)\//, specs: /mcp-conformance/ },
  { changed: /^bench\/.*\.mjs$/, specs: /test\/bench\// },
  // Nothing of it runs in the second tier.
  {
    changed: /\.md$|^(docker|test\/(api|architecture|browser|contract|docker|histories))\/|^\.gitignore$/,
    specs: undefined,
  },
  { changed: /^(src|projections)\/.*\.spec\.ts$/, specs: undefined },
  { changed: /^src\/http\/pages\//, specs: /approval-pages-/ },
  { changed: /^src\/site-module\//, specs: /own-app/ },
  { changed: /^src\/http\/open-api\//, specs: undefined },
  { changed: /^(src\/areas|projections)\/flows\//, specs: /flow-/ },
  { changed: /^(src\/areas|projections)\/agents\//, specs: /agent-/ },
  { changed: /^(src\/areas|projections)\/audit\//, specs: /audit-|undo-/ },
  { changed: /^(src\/areas|projections)\/approvals\//, specs: /approvals-/ },
  { changed: /^(src\/areas|projections)\/account-events\//, specs: /account-events-|schedules-/ },
  {
    changed: /^(src\/areas|projections)\/triggers\//,
    specs: /account-events-|schedules-|take-over|service-kill|large-forms/,
  },
  { changed: /^(src\/areas|projections)\/mailboxes\//, specs: /mail-|roles/ },
  { changed: /^(src\/areas|projections)\/secrets\//, specs: /vault|sandbox|log-transfer/ },
  { changed: /^src\/(areas\/sites\/publication|adapters\/site-builder)\//, specs: /publish-/ },
  { changed: /^src\/(areas\/sites\/source-control|adapters\/git[-/])/, specs: /git-/ },
  { changed: /^src\/areas\/sites\//, specs: undefined },
  { changed: /^(src\/areas|projections)\/workspace\//, specs: /ai-credits|recording-quota|roles|service-kill/ },
  { changed: /^src\/(areas|http)\/realtime\//, specs: /realtime|autobahn|broadcast|silent-websockets/ },
  { changed: /^src\/cli\//, specs: /log-|audit-/ },
  { changed: /^src\/smtp\//, specs: /mail-|roles|service-stop/ },
];

/** Which of the second tier's specs a change of these files concerns; undefined for `changed`: nobody knows, so all. */
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

/** Specs that also run on brokers of Kafka itself, where Java and Maven are: its contract suite and its faults. */
export const kafkaSpecs = /test\/(contracts|faults)\/.*kafka/;

/** The adapter of Kafka, what it is made with, what hands work over to it, and what its specs lean on. */
const carriesKafka =
  /^(src\/adapters\/messages|src\/adapters\/broadcast\/kafka|test\/support\/kafka)\/|^src\/ports\/(messages|broadcast|event-publisher)\.port\.ts$|^src\/engine\/(messages\/event-feed|step-work\/step-work)\.ts$|^src\/engine\/jobs\/|^src\/areas\/.*-(work|requests)\.|^package-lock\.json$|^test\/(contracts\/(messages|broadcast)|faults\/.*kafka)|^test\/tiers\/real-kafka\.mjs$/;

/** Whether a change has to be tried on brokers of Kafka itself. `changed` is undefined where nobody can tell. */
export const concernsKafka = (changed: readonly string[] | undefined) =>
  changed === undefined || changed.some((file) => carriesKafka.test(file) && !/^src\/.*\.spec\.ts$/.test(file));

/** Contract suites, and specs of the adapters of engines. Others say it themselves. */
const ofEngines = /\/test\/contracts\/|eventstoredb|mongodb|kafka/;

/** Whether TEST_ENGINES, `1` or `several`, runs this spec: what its first line says, `// Engines: one process, and several.` */
export function runsOnEngines(file: string, text: string, engines: string): boolean {
  const [, processes] = /^\/\/ Engines: (one process|one process, and several)\.\n/.exec(text) ?? [];
  return engines === 'several'
    ? processes === 'one process, and several'
    : processes !== undefined || ofEngines.test(file);
}
