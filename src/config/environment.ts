import { resolve } from 'node:path';
import type { DnsServer } from '../ports/network/dns.port.js';
import { withSecretFiles } from './secret-files.js';
import { type AnalyticsSources, readAnalyticsSources } from './settings/analytics-settings.js';
import { type AssistantSettings, readAssistantSettings } from './settings/assistant-settings.js';
import { appDomain, dnsServers } from './settings/dns-settings.js';
import { type EdgeSettings, readEdgeSettings } from './settings/edge-settings.js';
import { egressAllow } from './settings/egress-allow.js';
import { type MailInSettings, readMailInSettings } from './settings/mail-in-settings.js';
import { plaintextMailHosts } from './settings/plaintext-mail-hosts.js';
import { type PlatformMailSettings, readPlatformMailSettings } from './settings/platform-mail-settings.js';
import { readSocialProviders, type SocialProviderSettings } from './settings/social-settings.js';

export const roles = ['api', 'projections', 'sagas', 'runner', 'scheduler', 'mail-in'] as const;
export type ServiceRole = (typeof roles)[number];

export const logLevels = ['error', 'warn', 'log', 'debug', 'verbose'] as const;

/** `url` can contain credentials and must never be shown. */
export type EngineChoice<Engine extends string> =
  | { readonly kind: 'embedded' }
  | { readonly kind: Engine; readonly url: string; readonly database?: string; readonly namespace?: string };

/** A class, so that it can be injected by its type. */
export class Environment {
  readonly port!: number;
  readonly host!: string;
  readonly baseUrl!: string;
  /**
   * Page that describes the plans. Refusals link to it if the plan does not allow something. Default: the plans on the
   * start page.
   */
  readonly upgradeUrl!: string;
  /** Domain of the sites' addresses, in lower case. */
  readonly appDomain!: string;
  readonly dnsServers!: readonly DnsServer[];
  readonly dataDir!: string;
  readonly roles!: readonly ServiceRole[];
  readonly logLevel!: (typeof logLevels)[number];
  readonly eventStore!: EngineChoice<'eventstoredb'>;
  readonly readStore!: EngineChoice<'mongodb'>;
  readonly messages!:
    | { readonly kind: 'in-process' }
    | {
        readonly kind: 'kafka';
        readonly brokers: string;
        readonly namespace: string;
        readonly newTopics: {
          readonly partitions: number;
          readonly replication: number;
          readonly retentionHours: number;
          readonly messageBytes: number;
        };
      };
  /** True if neither the event store nor the read store is embedded, so several processes can share them. */
  readonly shared!: boolean;
  /** Time, in milliseconds, without a heartbeat after which other processes take over the work of a process. */
  readonly leaseSilenceMs!: number;
  /**
   * Time, in milliseconds, for which calls are still served after a stop signal, so that load balancers can notice the
   * stop.
   */
  readonly shutdownDelayMs!: number;
  readonly masterKey!: string | undefined;
  readonly bootstrapOwnerKey!: string | undefined;
  readonly sandboxProcesses!: number | undefined;
  readonly sandboxMemoryMb!: number;
  readonly runRetentionDays!: number;
  readonly eventFanOutLimit!: number;
  /** Hosts, addresses and CIDRs that are not public, but to which the operator allows customers' requests. */
  readonly egressAllow!: readonly string[];
  /** All environment variables. npm's settings, which can have any name, are read from them. */
  readonly variables!: Raw;
  readonly processorUrl!: string | undefined;
  readonly gitHostApiUrl!: string;
  readonly smtpPlaintextAllow!: readonly string[];
  /** The operator's own mail server. If undefined, a site needs a mailbox to send its sign-in mail. */
  readonly platformMail!: PlatformMailSettings | undefined;
  readonly analytics!: AnalyticsSources;
  readonly socialProviders!: readonly SocialProviderSettings[];
  readonly assistant!: AssistantSettings | undefined;
  readonly mailIn!: MailInSettings;
  readonly eventStreams!: number;
  readonly edge!: EdgeSettings;
}

type Raw = Readonly<Record<string, string | undefined>>;

/** @throws Error with a sentence that names the variable and the values it accepts */
export function readEnvironment(variables: Raw): Environment {
  const raw = withSecretFiles(variables);
  const port = integer(raw, 'PORT', 3000, 0, 65_535);
  const host = raw['HOST'] || '127.0.0.1';
  const database = raw['MONGODB_DATABASE'] ? { database: raw['MONGODB_DATABASE'] } : {};
  const eventStore = engine(raw, 'EVENT_STORE', 'eventstoredb', 'EVENTSTOREDB_URL');
  const namespace = eventStoreNamespace(raw['EVENTSTOREDB_NAMESPACE']);
  const readStore = engine(raw, 'READ_STORE', 'mongodb', 'MONGODB_URL');
  const messages = messagesOf(raw);
  const shared = eventStore.kind !== 'embedded' && readStore.kind !== 'embedded';
  const roles = rolesOf(raw['ROLES'], shared, messages.kind);
  const mailIn = readMailInSettings(raw, integer);
  if (mailIn.port === undefined && roles.every((role) => role === 'mail-in')) {
    throw new Error('ROLES is only mail-in, but SMTP_IN_PORT is 0: set a port, or add another role.');
  }
  const baseUrl = addressOfPaths(raw, 'BASE_URL', `http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  return {
    port,
    host,
    baseUrl,
    upgradeUrl: url(raw, 'UPGRADE_URL', `${baseUrl}/#plans`),
    appDomain: appDomain(raw['APP_DOMAIN']),
    dnsServers: dnsServers(raw['DNS_SERVERS']),
    dataDir: resolve(raw['DATA_DIR'] || './data'),
    roles,
    eventStore: { ...eventStore, ...namespace },
    readStore: { ...readStore, ...database },
    messages,
    shared,
    leaseSilenceMs: integer(raw, 'LEASE_SILENCE_MS', 8_000, 500, 600_000),
    shutdownDelayMs: integer(raw, 'SHUTDOWN_DELAY_SECONDS', shared ? 5 : 0, 0, 15) * 1_000,
    logLevel: oneOf(raw, 'LOG_LEVEL', logLevels) ?? 'log',
    masterKey: masterKey(raw, readStore.kind),
    bootstrapOwnerKey: ownerKey(raw['BOOTSTRAP_OWNER_KEY']),
    sandboxProcesses: raw['SANDBOX_PROCESSES'] ? integer(raw, 'SANDBOX_PROCESSES', 0, 1, 512) : undefined,
    sandboxMemoryMb: integer(raw, 'SANDBOX_MEMORY_MB', 128, 16, 4_096),
    runRetentionDays: integer(raw, 'RUN_RETENTION_DAYS', 30, 1, 3_650),
    eventFanOutLimit: integer(raw, 'EVENT_FAN_OUT_LIMIT', 1_000, 1, 10_000),
    egressAllow: egressAllow(raw['EGRESS_ALLOW']),
    variables,
    processorUrl: raw['PROCESSOR_URL'] ? url(raw, 'PROCESSOR_URL', '') : undefined,
    gitHostApiUrl: url(raw, 'GIT_HOST_API_URL', 'https://api.github.com'),
    smtpPlaintextAllow: plaintextMailHosts(raw['SMTP_PLAINTEXT_ALLOW']),
    analytics: readAnalyticsSources(raw),
    socialProviders: readSocialProviders(raw),
    platformMail: readPlatformMailSettings(raw),
    assistant: readAssistantSettings(raw),
    mailIn,
    eventStreams: integer(raw, 'EVENT_STREAMS', 1_000, 1, 100_000),
    edge: readEdgeSettings(raw, integer, baseUrl),
  };
}

function integer(raw: Raw, name: string, otherwise: number, least: number, most: number): number {
  const text = raw[name] || String(otherwise);
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new Error(`${name} must be a whole number from ${least} to ${most}.`);
}

function oneOf<T extends string>(raw: Raw, name: string, allowed: readonly T[]): T | undefined {
  const text = raw[name];
  if (!text) return undefined;
  const found = allowed.find((value) => value === text);
  if (found === undefined) throw new Error(`${name} must be one of: ${allowed.join(', ')}.`);
  return found;
}

function engine<E extends string>(raw: Raw, name: string, kind: E, address: string): EngineChoice<E> {
  if ((oneOf(raw, name, ['embedded', kind]) ?? 'embedded') === 'embedded') return { kind: 'embedded' };
  const url = raw[address];
  if (url) return { kind, url };
  throw new Error(`${address} must be the address of ${kind}, because ${name} is ${kind}.`);
}

function url(raw: Raw, name: string, otherwise: string): string {
  const text = raw[name] || otherwise;
  if (!URL.canParse(text) || !/^https?:\/\//.test(text)) throw new Error(`${name} must be an http or https address.`);
  return text.replace(/\/+$/, '');
}

/** @throws Error if paths cannot be appended to the address, or if it contains credentials, which links would show */
function addressOfPaths(raw: Raw, name: string, otherwise: string): string {
  const text = url(raw, name, otherwise);
  const { username, password } = new URL(text);
  if (!/[?#]/.test(text) && username === '' && password === '') return text;
  throw new Error(
    `${name} must be an address to which paths can be appended, such as https://api.example.org/countersign, without a query, ` +
      'fragment, user name or password.',
  );
}

/** Hyphens and dots are not allowed, because they are separators in stream names. */
function eventStoreNamespace(text: string | undefined): { readonly namespace?: string } {
  if (!text) return {};
  if (/^[A-Za-z][A-Za-z0-9_]{0,49}$/.test(text)) return { namespace: text };
  throw new Error('EVENTSTOREDB_NAMESPACE must be 1 to 50 letters, digits or underscores, beginning with a letter.');
}

function messagesOf(raw: Raw): Environment['messages'] {
  if ((oneOf(raw, 'MESSAGES', ['in-process', 'kafka']) ?? 'in-process') === 'in-process') return { kind: 'in-process' };
  const brokers = raw['KAFKA_BROKERS'];
  const namespace = raw['KAFKA_NAMESPACE'] || 'countersign';
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(namespace)) {
    throw new Error('KAFKA_NAMESPACE must be 1 to 100 letters, digits, dots, hyphens or underscores.');
  }
  const newTopics = {
    partitions: integer(raw, 'KAFKA_TOPIC_PARTITIONS', 12, 1, 1_000),
    replication: integer(raw, 'KAFKA_TOPIC_REPLICATION', 3, 1, 15),
    retentionHours: integer(raw, 'KAFKA_TOPIC_RETENTION_HOURS', 720, 24, 87_600),
    messageBytes: integer(raw, 'KAFKA_TOPIC_MESSAGE_BYTES', 1_048_588, 100_000, 100_000_000),
  };
  if (brokers) return { kind: 'kafka', brokers, namespace, newTopics };
  throw new Error('KAFKA_BROKERS must be the addresses of Kafka (host:port,host:port), because MESSAGES is kafka.');
}

function rolesOf(text: string | undefined, shared: boolean, messages: 'in-process' | 'kafka'): readonly ServiceRole[] {
  if (!text || text === 'all') return roles;
  const asked = text.split(',').map((role) => role.trim());
  const unknown = asked.find((role) => !roles.some((known) => known === role));
  if (unknown !== undefined) throw new Error(`ROLES must be all or a list of: ${roles.join(', ')}.`);
  const chosen = roles.filter((role) => asked.includes(role));
  if (!shared && chosen.length < roles.length) {
    throw new Error(
      'ROLES must be all, or not set, with an embedded store: only processes that share EventStoreDB and MongoDB can divide the work.',
    );
  }
  if (messages === 'in-process' && chosen.includes('sagas') !== chosen.includes('runner')) {
    throw new Error(
      'ROLES must include both sagas and runner, or neither, unless MESSAGES is kafka: one hands work to the other.',
    );
  }
  return chosen;
}

/**
 * With a shared read store a key is required: a generated key would be stored on one machine only, although it would
 * seal the data of all machines.
 */
function masterKey(raw: Raw, readStore: 'embedded' | 'mongodb'): string | undefined {
  if (raw['MASTER_KEY']) return raw['MASTER_KEY'];
  if (readStore === 'embedded') return undefined;
  throw new Error(
    'MASTER_KEY (or MASTER_KEY_FILE) must be set, to the same value in every process, because READ_STORE is mongodb: create one with `openssl rand -hex 32` and store it, or use the master.key of the installation that is moved here.',
  );
}

function ownerKey(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (/^[A-Za-z0-9_-]{24,200}$/.test(text)) return text;
  throw new Error('BOOTSTRAP_OWNER_KEY must be 24 to 200 URL-safe characters (letters, digits, _ and -).');
}
