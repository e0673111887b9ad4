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
  'KAFKA_BROKERS has to be host:port,host:port or kafkas://user:password@host:port,host:port' +
  '?mechanism=scram-sha-512&ca=FILE (kafka:// goes without TLS).';

/**
 * Reads the brokers' addresses and credentials. `kafkas://` is TLS, `?ca=FILE` names the authority's certificate (PEM),
 * `?mechanism` is plain (the default), scram-sha-256 or scram-sha-512. Characters of the password that have a meaning
 * in an address must be percent-encoded.
 * @throws Error one sentence that gives the expected form but nothing of the input, which may contain a password
 */
export function readKafkaAddress(text: string): KafkaAddress {
  const parts = /^(?:(kafkas?):\/\/)?(?:([^@/?]*)@)?([^@/?]+)\/?(?:\?(.*))?$/.exec(text.trim());
  if (parts === null) throw new Error(form);
  const [, scheme, credentials, hosts = '', query = ''] = parts;
  const options = new URLSearchParams(query);
  const brokers = hosts.split(',').map((host) => host.trim());
  const known = [...options.keys()].every((name) => name === 'mechanism' || name === 'ca');
  if (!known || !brokers.every(isBroker)) throw new Error(form);
  return {
    brokers,
    ssl: scheme === 'kafkas' ? tls(options.get('ca')) : false,
    ...(credentials === undefined ? {} : { sasl: sasl(credentials, options.get('mechanism') ?? 'plain') }),
  };
}

function isBroker(text: string): boolean {
  const port = Number(/^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/.exec(text)?.[1]);
  return port >= 1 && port <= 65_535;
}

function tls(file: string | null): Ssl {
  if (file === null) return true;
  try {
    return { ca: [readFileSync(file, 'utf8')] };
  } catch {
    throw new Error('The file that KAFKA_BROKERS names as ca cannot be read.');
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
