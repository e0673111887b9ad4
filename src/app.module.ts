// Longer than 300 lines, because every adapter is chosen in this one file.
import { join } from 'node:path';
import { type DynamicModule, Global, Logger, Module, type Provider } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { ScheduleModule } from '@nestjs/schedule';
import { projections } from '../projections/projections.js';
import { NoAssistant } from './adapters/assistant/none/no-assistant.adapter.js';
import { OpenAiAssistant } from './adapters/assistant/openai/openai-assistant.adapter.js';
import { EmbeddedBlobs } from './adapters/blobs/embedded/embedded-blobs.adapter.js';
import { InProcessBroadcast } from './adapters/broadcast/in-process/in-process-broadcast.adapter.js';
import { ResolverDns } from './adapters/dns/resolver/resolver-dns.adapter.js';
import { HttpEgress } from './adapters/egress/http/http-egress.adapter.js';
import { EmbeddedEventStore } from './adapters/event-store/embedded/embedded-event-store.adapter.js';
import { IsomorphicGit } from './adapters/git/isomorphic/isomorphic-git.adapter.js';
import { GitHubHost } from './adapters/git-host/github/github-host.adapter.js';
import { SmartHttpRemote } from './adapters/git-remote/smart-http/smart-http-remote.adapter.js';
import { WorkerLargeTexts } from './adapters/large-texts/worker/worker-large-texts.adapter.js';
import { LocalLeases } from './adapters/leases/local/local-leases.adapter.js';
import { SmtpPlatformMail } from './adapters/mail/smtp/platform-mail.adapter.js';
import { SmtpMail } from './adapters/mail/smtp/smtp-mail.adapter.js';
import { ChildProcessMailParser } from './adapters/mail-parser/child-process/child-process-mail-parser.adapter.js';
import { InProcessMessages } from './adapters/messages/in-process/in-process-messages.adapter.js';
import { NoEventPublisher } from './adapters/messages/in-process/no-event-publisher.adapter.js';
import type { MongoStores } from './adapters/mongodb/mongo-stores.js';
import { NpmPackages } from './adapters/packages/npm/npm-packages.adapter.js';
import { ScryptPasswordHash } from './adapters/password-hash/scrypt/scrypt-password-hash.adapter.js';
import { StripeProcessor } from './adapters/payment-processor/stripe/stripe-processor.adapter.js';
import { EmbeddedReadStore } from './adapters/read-store/embedded/embedded-read-store.adapter.js';
import { ChildProcessSandbox } from './adapters/sandbox/child-process/child-process-sandbox.adapter.js';
import { WorkerSchemaCheck } from './adapters/schema-check/worker/worker-schema-check.adapter.js';
import { WorkerSealedPeople } from './adapters/sealed-people/worker/worker-sealed-people.adapter.js';
import { EmbeddedServiceLock } from './adapters/service-lock/embedded/embedded-service-lock.adapter.js';
import { LeasedServiceLock } from './adapters/service-lock/leases/leased-service-lock.adapter.js';
import { ChildProcessSiteBuilder } from './adapters/site-builder/child-process/child-process-site-builder.adapter.js';
import { OpenIdSocial } from './adapters/social/openid/openid-social.adapter.js';
import { WorkerSourceCheck } from './adapters/source-check/worker/worker-source-check.adapter.js';
import { SystemClock } from './adapters/system/system-clock.adapter.js';
import { SystemIds } from './adapters/system/system-ids.adapter.js';
import { WorkerTextSearch } from './adapters/text-search/worker/worker-text-search.adapter.js';
import { EmbeddedTexts } from './adapters/texts/embedded/embedded-texts.adapter.js';
import { McpToolServers } from './adapters/tool-servers/mcp/mcp-tool-servers.adapter.js';
import { EmbeddedVault } from './adapters/vault/embedded/embedded-vault.adapter.js';
import { findMasterKey, readMasterKey } from './adapters/vault/embedded/master-key.js';
import { Envelope } from './adapters/vault/envelope.js';
import { AreasModule } from './areas/areas.module.js';
import { Environment, readEnvironment } from './config/environment.js';
import { ProcessName } from './engine/cluster/process-name.js';
import { dryRunPort } from './engine/dry-run/dry-run-port.js';
import { dryRunProviders } from './engine/dry-run/dry-run-providers.js';
import { EngineModule } from './engine/engine.module.js';
import { closablesOf, portProviders } from './engine/lifecycle/closables.js';
import { PersonalData } from './engine/personal-data/personal-data.js';
import { SealingEventStore } from './engine/personal-data/sealing-event-store.js';
import { Pipeline } from './engine/pipeline/pipeline.js';
import { ScratchReadStores } from './engine/projections/scratch-read-stores.js';
import { CurrentReadStore } from './engine/read-models/current-read-store.js';
import { NewerRecords } from './engine/read-models/newer-records.js';
import { ReadModels } from './engine/read-models/read-models.js';
import { readStoreBehaviour } from './engine/read-models/read-store-behaviour.js';
import { ReadYourWrites } from './engine/read-models/read-your-writes.js';
import { NewerVersionNeeded, UnderstoodLog } from './engine/read-models/understood-log.js';
import { HttpModule } from './http/http.module.js';
import { reasonOf } from './kernel/reason.js';
import { hostOf } from './kernel/text/host-name.js';
import { throttledLog } from './kernel/throttled-log.js';
import { Blobs } from './ports/blobs.port.js';
import { Broadcast } from './ports/broadcast.port.js';
import { Clock } from './ports/clock.port.js';
import { EventPublisher } from './ports/event-publisher.port.js';
import { EventStore, RecordedLog } from './ports/event-store.port.js';
import { Ids } from './ports/ids.port.js';
import { Leases } from './ports/leases.port.js';
import { Messages } from './ports/messages.port.js';
import { Assistant } from './ports/network/assistant.port.js';
import { Dns } from './ports/network/dns.port.js';
import { Egress } from './ports/network/egress.port.js';
import { GitHost } from './ports/network/git-host.port.js';
import { GitRemote } from './ports/network/git-remote.port.js';
import { Mail } from './ports/network/mail.port.js';
import { Packages } from './ports/network/packages.port.js';
import { PaymentProcessor } from './ports/network/payment-processor.port.js';
import { PlatformMail } from './ports/network/platform-mail.port.js';
import { SocialSignIn } from './ports/network/social-sign-in.port.js';
import { ToolServers } from './ports/network/tool-servers.port.js';
import { GitRepositories } from './ports/offloaded/git-repositories.port.js';
import { LargeTexts } from './ports/offloaded/large-texts.port.js';
import { MailParser } from './ports/offloaded/mail-parser.port.js';
import { PasswordHash } from './ports/offloaded/password-hash.port.js';
import { Sandbox } from './ports/offloaded/sandbox.port.js';
import { SchemaCheck } from './ports/offloaded/schema-check.port.js';
import { SealedPeople } from './ports/offloaded/sealed-people.port.js';
import { SiteBuilder } from './ports/offloaded/site-builder.port.js';
import { SourceCheck } from './ports/offloaded/source-check.port.js';
import { TextSearch } from './ports/offloaded/text-search.port.js';
import { ReadStore } from './ports/read-store.port.js';
import { ServiceLock } from './ports/service-lock.port.js';
import { Texts } from './ports/texts.port.js';
import { Vault } from './ports/vault.port.js';
import { sagaProviders } from './sagas/sagas.js';
import { Service } from './service.js';
import { SmtpModule } from './smtp/smtp.module.js';

const log = new Logger('Stores');
const mongodb = Symbol('MongoDB');
type Mongo = MongoStores | undefined;

async function mongoOf({ readStore }: Environment): Promise<Mongo> {
  if (readStore.kind !== 'mongodb') return undefined;
  const { MongoStores } = await import('./adapters/mongodb/mongo-stores.js');
  return new MongoStores(readStore);
}

async function recordedLogOf({ dataDir, eventStore }: Environment): Promise<RecordedLog> {
  const warn = throttledLog((sentence) => log.warn(sentence));
  const onError = (error: unknown) => {
    // NewerVersionNeeded is not logged here, because the reader that waits for the newer version logs it.
    if (!(error instanceof NewerVersionNeeded)) warn(`A log subscription failed and is retried: ${reasonOf(error)}`);
  };
  if (eventStore.kind === 'embedded') return new EmbeddedEventStore({ directory: dataDir, onError });
  const { EventStoreDbEventStore } = await import(
    './adapters/event-store/eventstoredb/eventstoredb-event-store.adapter.js'
  );
  return new EventStoreDbEventStore({ ...eventStore, onError });
}

function readStoreOf({ dataDir }: Environment, mongo: Mongo): ReadStore {
  return (
    mongo?.readStore() ?? new EmbeddedReadStore({ directory: dataDir, onNotice: (sentence) => log.warn(sentence) })
  );
}

/** Stored in the same engine as the read models, so processes share both or neither. */
async function vaultOf({ dataDir, masterKey: text }: Environment, clock: Clock, mongo: Mongo): Promise<Vault> {
  const masterKey = readMasterKey({ text, directory: dataDir });
  return mongo?.vault(masterKey, clock) ?? new EmbeddedVault({ directory: dataDir, clock, masterKey });
}

/** Stored in the same engine as the vault, and sealed with its master key. */
function blobsOf({ dataDir, masterKey: text }: Environment, clock: Clock, mongo: Mongo): Blobs {
  const masterKey = readMasterKey({ text, directory: dataDir });
  return mongo?.blobs(masterKey, clock) ?? new EmbeddedBlobs({ directory: dataDir, masterKey, clock });
}

const sealedPeopleOf = ({ dataDir, masterKey: text }: Environment): SealedPeople =>
  new WorkerSealedPeople({ masterKey: readMasterKey({ text, directory: dataDir }) });

/** Stored in the same engine as the read models, so processes share both or neither. */
const textsOf = ({ dataDir }: Environment, mongo: Mongo): Texts =>
  mongo?.texts() ?? new EmbeddedTexts({ directory: dataDir });

const leasesOf = ({ shared, leaseSilenceMs }: Environment, clock: Clock, mongo: Mongo): Leases =>
  shared && mongo !== undefined ? mongo.leases(leaseSilenceMs, clock) : new LocalLeases();

async function messagesOf({ messages }: Environment, clock: Clock): Promise<Messages> {
  if (messages.kind !== 'kafka') return new InProcessMessages(clock);
  const { KafkaMessages } = await import('./adapters/messages/kafka/kafka-messages.adapter.js');
  return new KafkaMessages({ ...messages, clock });
}

async function publisherOf({ messages: { kind } }: Environment, messages: Messages): Promise<EventPublisher> {
  if (kind !== 'kafka') return new NoEventPublisher();
  const { KafkaMessages } = await import('./adapters/messages/kafka/kafka-messages.adapter.js');
  const { KafkaEventPublisher } = await import('./adapters/messages/kafka/kafka-event-publisher.adapter.js');
  return messages instanceof KafkaMessages ? new KafkaEventPublisher(messages) : new NoEventPublisher();
}

/** Embedded stores allow only one process of the service, so the broadcast is in-process for them. */
async function broadcastOf({ shared, messages }: Environment, clock: Clock, mongo: Mongo): Promise<Broadcast> {
  if (!shared || mongo === undefined) return new InProcessBroadcast();
  if (messages.kind !== 'kafka') return mongo.broadcast();
  const { KafkaBroadcast } = await import('./adapters/broadcast/kafka/kafka-broadcast.adapter.js');
  return new KafkaBroadcast({ ...messages, clock });
}

const assistantOf = ({ assistant }: Environment, clock: Clock): Assistant =>
  assistant === undefined ? new NoAssistant() : new OpenAiAssistant({ ...assistant, clock });

/** Hosts of these providers are allowed even if they are not public, because the operator named them. */
function socialSignInOf({ socialProviders, egressAllow }: Environment, clock: Clock): SocialSignIn {
  const hosts = socialProviders.flatMap(({ issuer }) => hostOf(new URL(issuer)) ?? []);
  return new OpenIdSocial(socialProviders, new HttpEgress({ allow: [...egressAllow, ...hosts], clock }), clock);
}

/** This server is allowed even if it is not public, because the operator named it. */
function platformMailOf({ platformMail, egressAllow, smtpPlaintextAllow }: Environment, clock: Clock): PlatformMail {
  const allow = platformMail === undefined ? [] : [...egressAllow, platformMail.host];
  const egress = new HttpEgress({ allow, clock });
  return new SmtpPlatformMail(platformMail, new SmtpMail({ egress, clock, plaintextAllow: smtpPlaintextAllow }));
}

/**
 * Distinguishes this installation's master key from others without revealing anything about it. Undefined if there is
 * no key yet. Opens no vault, because a vault permanently belongs to the first key that opens it.
 */
export function masterKeyCheck({ dataDir, masterKey: text }: Environment): string | undefined {
  const masterKey = findMasterKey({ text, directory: dataDir });
  return masterKey && new Envelope(masterKey).keyCheck.toString('hex');
}

const settingsOf = (config: ConfigService) => config.getOrThrow<Environment>('environment');

const ports = portProviders([
  { provide: Environment, inject: [ConfigService], useFactory: settingsOf },
  { provide: Clock, useClass: SystemClock },
  { provide: Ids, useClass: SystemIds },
  { provide: RecordedLog, closes: 'by-another', inject: [Environment], useFactory: recordedLogOf },
  {
    provide: EventStore,
    closes: 'stores',
    inject: [RecordedLog, PersonalData, NewerRecords],
    useFactory: (log: RecordedLog, personal: PersonalData, newer: NewerRecords) =>
      new SealingEventStore(new UnderstoodLog(log, newer), personal),
  },
  {
    provide: ReadStore,
    closes: 'stores',
    inject: [Environment, ReadYourWrites, ReadModels, PersonalData, mongodb, NewerRecords],
    useFactory: (
      environment: Environment,
      readYourWrites: ReadYourWrites,
      models: ReadModels,
      personal: PersonalData,
      mongo: Mongo,
      newer: NewerRecords,
    ) =>
      dryRunPort(
        new CurrentReadStore(readStoreOf(environment, mongo), readYourWrites, models, newer),
        readStoreBehaviour(models, (workspaceId, value) => personal.opened(workspaceId, value)),
      ),
  },
  { provide: ReadModels, useValue: new ReadModels(projections) },
  { provide: mongodb, closes: 'by-another', inject: [Environment], useFactory: mongoOf },
  { provide: Leases, closes: 'stores', inject: [Environment, Clock, mongodb], useFactory: leasesOf },
  { provide: Vault, closes: 'stores', inject: [Environment, Clock, mongodb], useFactory: vaultOf },
  { provide: Blobs, closes: 'stores', inject: [Environment, Clock, mongodb], useFactory: blobsOf },
  { provide: Texts, closes: 'stores', inject: [Environment, mongodb], useFactory: textsOf },
  { provide: MailParser, closes: 'tools', useFactory: () => new ChildProcessMailParser() },
  { provide: Messages, closes: 'messages', inject: [Environment, Clock], useFactory: messagesOf },
  { provide: Broadcast, closes: 'stores', inject: [Environment, Clock, mongodb], useFactory: broadcastOf },
  { provide: Assistant, inject: [Environment, Clock], useFactory: assistantOf },
  { provide: EventPublisher, inject: [Environment, Messages], useFactory: publisherOf },
  {
    provide: Sandbox,
    closes: 'runs',
    inject: [Environment],
    useFactory: ({ sandboxProcesses, sandboxMemoryMb }: Environment) =>
      new ChildProcessSandbox({
        memoryMb: sandboxMemoryMb,
        ...(sandboxProcesses === undefined ? {} : { processes: sandboxProcesses }),
      }),
  },
  { provide: SchemaCheck, closes: 'tools', useFactory: () => new WorkerSchemaCheck() },
  { provide: SealedPeople, closes: 'tools', inject: [Environment], useFactory: sealedPeopleOf },
  { provide: PasswordHash, useFactory: () => new ScryptPasswordHash() },
  { provide: LargeTexts, closes: 'tools', useFactory: () => new WorkerLargeTexts() },
  { provide: SourceCheck, closes: 'tools', useFactory: () => new WorkerSourceCheck() },
  {
    provide: Packages,
    closes: 'tools',
    inject: [Environment],
    useFactory: ({ variables, egressAllow }: Environment) => new NpmPackages(variables, egressAllow),
  },
  {
    provide: GitRepositories,
    closes: 'tools',
    inject: [Environment, Blobs],
    useFactory: ({ dataDir }: Environment, blobs: Blobs) => new IsomorphicGit({ blobs, folder: join(dataDir, 'git') }),
  },
  { provide: GitRemote, inject: [Egress], useFactory: (egress: Egress) => new SmartHttpRemote(egress) },
  {
    provide: GitHost,
    inject: [Environment, Egress],
    useFactory: ({ gitHostApiUrl: url }: Environment, egress: Egress) => new GitHubHost({ egress, url }),
  },
  { provide: SiteBuilder, closes: 'tools', useFactory: () => new ChildProcessSiteBuilder() },
  { provide: TextSearch, closes: 'tools', useFactory: () => new WorkerTextSearch() },
  { provide: Dns, inject: [Environment], useFactory: ({ dnsServers }: Environment) => new ResolverDns(dnsServers) },
  {
    provide: Egress,
    inject: [Environment, Clock],
    useFactory: ({ egressAllow: allow }: Environment, clock: Clock) => new HttpEgress({ allow, clock }),
  },
  {
    provide: Mail,
    closes: 'tools',
    inject: [Environment, Egress, Clock],
    useFactory: ({ smtpPlaintextAllow: plaintextAllow }: Environment, egress: Egress, clock: Clock) =>
      new SmtpMail({ egress, clock, plaintextAllow }),
  },
  { provide: ToolServers, inject: [Egress], useFactory: (egress: Egress) => new McpToolServers(egress) },
  { provide: SocialSignIn, inject: [Environment, Clock], useFactory: socialSignInOf },
  { provide: PlatformMail, closes: 'tools', inject: [Environment, Clock], useFactory: platformMailOf },
  {
    provide: PaymentProcessor,
    inject: [Environment, Egress],
    useFactory: ({ processorUrl: url }: Environment, egress: Egress) => new StripeProcessor({ egress, url }),
  },
  {
    provide: ScratchReadStores,
    useValue: { open: (directory) => new EmbeddedReadStore({ directory }) } satisfies ScratchReadStores,
  },
  {
    provide: ServiceLock,
    inject: [Environment, Leases, Clock],
    useFactory: ({ dataDir, shared }: Environment, leases: Leases, clock: Clock) =>
      shared ? new LeasedServiceLock(leases, clock) : new EmbeddedServiceLock(dataDir),
  },
  { provide: ProcessName, inject: [Ids], useFactory: (ids: Ids): ProcessName => ({ value: ids.newId('process') }) },
]);

@Global()
@Module({})
export class AppModule {
  /**
   * `overrides` take precedence over the process's own environment. `replacements` replace adapters, e.g. with a fake
   * clock.
   * @throws Error naming an invalid setting
   */
  static of(
    overrides: Readonly<Record<string, string | undefined>> = {},
    replacements: readonly Provider[] = [],
  ): DynamicModule {
    const adapters = dryRunProviders([...ports, ...replacements]);
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot({ validate: (raw) => ({ environment: readEnvironment({ ...raw, ...overrides }) }) }),
        ScheduleModule.forRoot(),
        EngineModule,
        AreasModule,
        HttpModule,
        SmtpModule,
      ],
      providers: [...adapters, closablesOf(ports), ...sagaProviders, Pipeline, Service],
      exports: [Pipeline, ...ports.map(({ provide }) => provide)],
    };
  }
}
