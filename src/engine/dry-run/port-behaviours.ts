import { Blobs } from '../../ports/blobs.port.js';
import { Broadcast } from '../../ports/broadcast.port.js';
import { Clock } from '../../ports/clock.port.js';
import { EventPublisher } from '../../ports/event-publisher.port.js';
import { EventStore, RecordedLog } from '../../ports/event-store.port.js';
import { Ids } from '../../ports/ids.port.js';
import { Leases } from '../../ports/leases.port.js';
import { Messages } from '../../ports/messages.port.js';
import { Assistant } from '../../ports/network/assistant.port.js';
import { Dns } from '../../ports/network/dns.port.js';
import { Egress } from '../../ports/network/egress.port.js';
import { GitHost } from '../../ports/network/git-host.port.js';
import { GitRemote } from '../../ports/network/git-remote.port.js';
import { Mail } from '../../ports/network/mail.port.js';
import { Packages } from '../../ports/network/packages.port.js';
import { PaymentProcessor } from '../../ports/network/payment-processor.port.js';
import { PlatformMail } from '../../ports/network/platform-mail.port.js';
import { SocialSignIn } from '../../ports/network/social-sign-in.port.js';
import { ToolServers } from '../../ports/network/tool-servers.port.js';
import { GitRepositories } from '../../ports/offloaded/git-repositories.port.js';
import { LargeTexts } from '../../ports/offloaded/large-texts.port.js';
import { MailParser } from '../../ports/offloaded/mail-parser.port.js';
import { PasswordHash } from '../../ports/offloaded/password-hash.port.js';
import { Sandbox } from '../../ports/offloaded/sandbox.port.js';
import { SchemaCheck } from '../../ports/offloaded/schema-check.port.js';
import { SealedPeople } from '../../ports/offloaded/sealed-people.port.js';
import { SiteBuilder } from '../../ports/offloaded/site-builder.port.js';
import { SourceCheck } from '../../ports/offloaded/source-check.port.js';
import { TextSearch } from '../../ports/offloaded/text-search.port.js';
import { ServiceLock } from '../../ports/service-lock.port.js';
import { Texts } from '../../ports/texts.port.js';
import { Vault } from '../../ports/vault.port.js';
import { type DryRun } from './dry-run.js';
import { DryRunBlobs } from './dry-run-blobs.js';
import { DryRunLog } from './dry-run-log.js';
import { type PortBehaviour } from './dry-run-port.js';
import { DryRunTexts } from './dry-run-texts.js';
import { DryRunVault } from './dry-run-vault.js';

export interface DryRunPort<Port extends object = object> {
  readonly port: abstract new () => Port;
  readonly ways: PortBehaviour<Port>;
}

function ways<Port extends object>(port: abstract new () => Port, of: PortBehaviour<Port>): DryRunPort {
  return { port, ways: of } as unknown as DryRunPort;
}

const logOf = (dryRun: DryRun, log: EventStore) => dryRun.stateOf(log, () => new DryRunLog(dryRun, log));
const vaultOf = (dryRun: DryRun, vault: Vault) => dryRun.stateOf(vault, () => new DryRunVault(vault));
const blobsOf = (dryRun: DryRun, blobs: Blobs) => dryRun.stateOf(blobs, () => new DryRunBlobs(blobs));
const textsOf = (dryRun: DryRun, texts: Texts) => dryRun.stateOf(texts, () => new DryRunTexts(texts));

const asItIs = 'as it is';
const outside = (effect: string) => ({ outside: () => effect });
const whole = outside('changes a whole store');

const log: PortBehaviour<EventStore> = {
  append: { overlay: (dryRun, port, requests) => logOf(dryRun, port).append(requests) },
  readStream: { overlay: (dryRun, port, stream, options) => logOf(dryRun, port).readStream(stream, options) },
  readAll: { overlay: (dryRun, port, options) => logOf(dryRun, port).readAll(options) },
  head: { overlay: (dryRun, port) => logOf(dryRun, port).head() },
  version: { overlay: () => undefined },
  subscribe: asItIs,
  truncate: { overlay: async () => undefined },
  snapshot: asItIs,
  check: asItIs,
  close: asItIs,
};

/**
 * `EventStore` is not listed, because it is built on `RecordedLog`. The read store's behaviour is in
 * `read-models/read-store-behaviour`, because it needs the read models.
 */
export const dryRunPorts: readonly DryRunPort[] = [
  ways(RecordedLog, log),
  ways(Vault, {
    seal: { overlay: (dryRun, port, ...args) => vaultOf(dryRun, port).seal(...args) },
    makePermanent: { overlay: (dryRun, port, name) => vaultOf(dryRun, port).makePermanent(name) },
    open: { overlay: (dryRun, port, name) => vaultOf(dryRun, port).open(name) },
    destroy: { overlay: (dryRun, port, name) => vaultOf(dryRun, port).destroy(name) },
    readSealed: asItIs,
    sealedEntries: asItIs,
    putSealed: whole,
    sweep: whole,
    derive: asItIs,
    version: { overlay: () => undefined },
    check: asItIs,
    close: asItIs,
  }),
  ways(Blobs, {
    put: { overlay: (dryRun, port, ...args) => blobsOf(dryRun, port).put(...args) },
    open: { overlay: (dryRun, port, name) => blobsOf(dryRun, port).open(name) },
    destroy: { overlay: (dryRun, port, ...args) => blobsOf(dryRun, port).destroy(...args) },
    names: { overlay: (dryRun, port, ...args) => blobsOf(dryRun, port).names(...args) },
    destroyAll: { overlay: (dryRun, port, ...args) => blobsOf(dryRun, port).destroyAll(...args) },
    sealedBlobs: asItIs,
    putSealed: whole,
    check: asItIs,
    close: asItIs,
  }),
  ways(Texts, {
    put: { overlay: (dryRun, port, ...args) => textsOf(dryRun, port).put(...args) },
    get: { overlay: (dryRun, port, ...args) => textsOf(dryRun, port).get(...args) },
    storedTexts: asItIs,
    putStored: whole,
    check: asItIs,
    close: asItIs,
  }),
  // Timers are real. A dry run does not wait for them.
  ways(Clock, { now: asItIs, after: asItIs }),
  ways(Ids, { newId: asItIs, uuid: asItIs, token: asItIs }),
  ways(Messages, {
    publish: { outside: (topic) => `publishes a message to ${topic}` },
    consume: asItIs,
    waiting: asItIs,
    load: asItIs,
    belongTo: asItIs,
    check: asItIs,
    close: asItIs,
  }),
  ways(Broadcast, {
    publish: outside('notifies all processes'),
    listen: asItIs,
    belongTo: asItIs,
    check: asItIs,
    close: asItIs,
  }),
  ways(EventPublisher, { publish: outside('publishes to external consumers') }),
  ways(Leases, {
    beat: outside('takes a lease'),
    processes: asItIs,
    acquire: outside('takes a lease'),
    release: outside('releases a lease'),
    holders: asItIs,
    giveUp: outside('takes a lease'),
    leave: outside('releases a lease'),
    close: asItIs,
  }),
  ways(ServiceLock, { acquire: asItIs, release: asItIs }),
  ways(Mail, {
    verify: { outside: ({ host, port }) => `logs in to the mail server ${host}:${port}` },
    send: { outside: ({ host, port }) => `sends mail through ${host}:${port}` },
    close: asItIs,
  }),
  ways(PlatformMail, { send: outside('sends mail'), close: asItIs }),
  ways(MailParser, { parse: asItIs, attachment: asItIs, close: asItIs }),
  ways(Egress, {
    send: { outside: ({ method, url }) => `sends a ${method} request to ${hostOf(url)}` },
    stream: { outside: ({ method, url }) => `sends a ${method} request to ${hostOf(url)}` },
    connect: { outside: ({ host, port }) => `connects to ${host}:${port}` },
  }),
  ways(GitRemote, {
    refs: outside('queries a git remote'),
    fetch: outside('fetches from a git remote'),
    push: outside('pushes to a git remote'),
  }),
  ways(GitHost, {
    repositories: outside('queries the git host'),
    repository: outside('queries the git host'),
    create: outside('creates a repository at the git host'),
  }),
  ways(GitRepositories, {
    tree: asItIs,
    contents: asItIs,
    log: asItIs,
    relation: asItIs,
    has: asItIs,
    packOf: asItIs,
    commit: outside('writes a commit'),
    receive: outside('stores the history of a repository'),
    removeUnnamed: whole,
    close: asItIs,
  }),
  ways(Dns, { texts: { outside: (name) => `looks up ${name} in the DNS` } }),
  ways(Sandbox, { run: outside('runs code'), load: asItIs, check: asItIs, close: asItIs }),
  ways(Assistant, { ask: outside('asks a language model') }),
  ways(Packages, { fetch: outside('fetches packages from the npm registry'), close: asItIs }),
  ways(SiteBuilder, { build: outside('builds a site'), close: asItIs }),
  ways(PaymentProcessor, {
    stepOf: asItIs,
    openCheckout: outside('opens a checkout at the payment processor'),
    closeCheckout: outside('closes a checkout at the payment processor'),
    registerEndpoint: outside('registers a webhook at the payment processor'),
    removeEndpoint: outside('removes a webhook at the payment processor'),
    products: outside('lists the products at the payment processor'),
    putProduct: outside('changes a product at the payment processor'),
    createProduct: outside('creates a product at the payment processor'),
    paidFor: outside('looks up a payment at the payment processor'),
    eventOf: asItIs,
  }),
  ways(SocialSignIn, {
    has: asItIs,
    names: asItIs,
    begin: outside('contacts a sign-in provider'),
    finish: outside('contacts a sign-in provider'),
  }),
  ways(ToolServers, {
    tools: outside('lists the tools of a server'),
    call: outside('calls a tool of a server'),
  }),
  ways(LargeTexts, { hide: asItIs, close: asItIs }),
  ways(PasswordHash, { hash: asItIs, matches: asItIs }),
  ways(SchemaCheck, { check: asItIs, close: asItIs }),
  ways(SealedPeople, { judge: asItIs, close: asItIs }),
  ways(SourceCheck, { read: asItIs, close: asItIs }),
  ways(TextSearch, { search: asItIs, close: asItIs }),
];

function hostOf(url: string | URL): string {
  return URL.parse(String(url))?.host ?? 'an address';
}
