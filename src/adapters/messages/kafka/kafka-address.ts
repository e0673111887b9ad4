import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { KafkaConfig } from 'kafkajs';

type Ssl = NonNullable<KafkaConfig['ssl']>;
type Sasl = NonNullable<KafkaConfig['sasl']>;

export interface KafkaAddress {
  readonly brokers: string[];
  readonly ssl: Ssl;
  readonly sasl?: Sasl;
}

const form =
  'KAFKA_BROKERS must be host:port,host:port or kafkas://user:password@host:port,host:port' +
  '?mechanism=scram-sha-512&ca=FILE&cert=FILE&key=FILE (kafka:// does not use TLS, so it takes no files).';
const files = ['ca', 'cert', 'key'] as const;

/**
 * `kafkas://` means TLS. `?ca=FILE` names the authority's certificate, and `cert=FILE&key=FILE` this client's own (all
 * in PEM). `?mechanism` is plain (the default), scram-sha-256 or scram-sha-512.
 * @throws Error with one sentence that quotes nothing of the input, which may contain a password
 */
export function readKafkaAddress(text: string): KafkaAddress {
  const parts = /^(?:(kafkas?):\/\/)?(?:([^@/?]*)@)?([^@/?]+)\/?(?:\?(.*))?$/.exec(text.trim());
  if (parts === null) throw new Error(form);
  const [, scheme, credentials, hosts = '', query = ''] = parts;
  const options = new URLSearchParams(query);
  const brokers = hosts.split(',').map((host) => host.trim());
  // kafkajs treats everything before the first colon as the host, so it cannot connect to an IPv6 address.
  if (brokers.some((broker) => broker.includes('['))) {
    throw new Error('KAFKA_BROKERS cannot contain IPv6 addresses: give the brokers names in DNS or /etc/hosts.');
  }
  const secure = scheme === 'kafkas';
  const known = [...options.keys()].every(
    (name) => name === 'mechanism' || (secure && files.some((one) => one === name)),
  );
  if (!known || !brokers.every(isBroker)) throw new Error(form);
  if (credentials === undefined && options.has('mechanism')) throw new Error(form);
  return {
    brokers,
    ssl: secure && tls(options),
    ...(credentials === undefined ? {} : { sasl: sasl(credentials, options.get('mechanism') ?? 'plain') }),
  };
}

function isBroker(text: string): boolean {
  const port = Number(/^[A-Za-z0-9._-]+:(\d{1,5})$/.exec(text)?.[1]);
  return port >= 1 && port <= 65_535;
}

function tls(options: URLSearchParams): Ssl {
  if (options.has('cert') !== options.has('key')) {
    throw new Error('KAFKA_BROKERS must name cert and key together: the certificate cannot be used without its key.');
  }
  const [ca, cert, key] = files.map((name) => contentOf(name, options.get(name)));
  if (ca === undefined && cert === undefined) return true;
  // Node would treat a file without certificates as an empty list and then trust no server.
  if (ca !== undefined) certificateIn('ca', ca);
  if (cert === undefined || key === undefined) return { ca: [ca ?? ''] };
  const ours = certificateIn('cert', cert);
  try {
    if (ours.checkPrivateKey(createPrivateKey(key))) return { cert, key, ...(ca === undefined ? {} : { ca: [ca] }) };
  } catch {
    throw new Error(
      'The file that KAFKA_BROKERS names as key must contain a private key in PEM, without a passphrase.',
    );
  }
  throw new Error('The key that KAFKA_BROKERS names does not belong to the certificate that it names as cert.');
}

function certificateIn(name: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new Error(`The file that KAFKA_BROKERS names as ${name} must contain a certificate in PEM.`);
  }
}

function contentOf(name: string, file: string | null): string | undefined {
  if (file === null) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Error(`The file that KAFKA_BROKERS names as ${name} cannot be read.`);
  }
}

function sasl(credentials: string, mechanism: string): Sasl {
  const colon = credentials.indexOf(':');
  if (colon < 1) throw new Error(form);
  const username = decoded(credentials.slice(0, colon));
  const password = decoded(credentials.slice(colon + 1));
  if (mechanism === 'plain') return { mechanism, username, password };
  if (mechanism === 'scram-sha-256') return { mechanism, username, password };
  if (mechanism === 'scram-sha-512') return { mechanism, username, password };
  throw new Error(form);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(form);
  }
}
