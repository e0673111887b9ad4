import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

export interface MailInSettings {
  readonly host: string;
  readonly port: number | undefined;
  /** Domain of every mailhook address, in lower case. */
  readonly domain: string;
  readonly maxBytes: number;
  readonly clientRate: number;
  readonly hookRate: number;
  /** Contents of the PEM files. If undefined, STARTTLS is not offered. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
}

type Raw = Readonly<Record<string, string | undefined>>;
type Integer = (raw: Raw, name: string, otherwise: number, least: number, most: number) => number;

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const domainForm = new RegExp(`^(?=.{1,200}$)${label}(?:\\.${label})*$`);

/** @throws Error with a sentence that names the variable */
export function readMailInSettings(raw: Raw, integer: Integer): MailInSettings {
  const port = integer(raw, 'SMTP_IN_PORT', 2525, 0, 65_535);
  const domain = (raw['MAILHOOK_DOMAIN'] || 'mail.localhost').toLowerCase();
  if (!domainForm.test(domain)) {
    throw new Error(
      'MAILHOOK_DOMAIN must be a domain name such as mail.example.com; write internationalised names in punycode.',
    );
  }
  return {
    host: raw['SMTP_IN_HOST'] || '127.0.0.1',
    port: port === 0 ? undefined : port,
    domain,
    maxBytes: integer(raw, 'SMTP_IN_MAX_MB', 25, 1, 100) * 1024 * 1024,
    clientRate: integer(raw, 'SMTP_IN_CLIENT_RATE', 600, 1, 1_000_000),
    hookRate: integer(raw, 'SMTP_IN_HOOK_RATE', 300, 1, 1_000_000),
    tls: tlsOf(raw),
  };
}

function tlsOf(raw: Raw): MailInSettings['tls'] {
  const [cert, key] = [raw['SMTP_IN_TLS_CERT'], raw['SMTP_IN_TLS_KEY']];
  if (!cert && !key) return undefined;
  if (!cert || !key) throw new Error('SMTP_IN_TLS_CERT and SMTP_IN_TLS_KEY must be set together.');
  const pair = { cert: fileAt('SMTP_IN_TLS_CERT', cert), key: fileAt('SMTP_IN_TLS_KEY', key) };
  try {
    createSecureContext(pair);
    return pair;
  } catch {
    throw new Error('SMTP_IN_TLS_CERT and SMTP_IN_TLS_KEY must be a certificate and its own key, both as PEM.');
  }
}

function fileAt(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new Error(`${name} must be the path of a readable file.`);
  }
}
