import { refuseInput } from '../../../kernel/field/refuse-input.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { inJson } from '../../functions/run-secrets/hop-filler.api.js';

/** Default time limit in milliseconds (Q-S107). */
export const usualTimeout = 30_000;

export interface ProxiedRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: JsonObject;
  readonly body?: unknown;
  /** Set if the body contains bytes, encoded in base64. */
  readonly encoding?: 'base64';
  /** Time limit in milliseconds. */
  readonly timeout?: number;
}

/** A request whose address, headers and body can contain placeholders for secrets. */
export interface WrittenRequest {
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | Uint8Array | undefined;
  readonly inBody: (value: string) => string;
}

/** Headers that apply to only one hop (RFC 9110, 7.6.1), and headers that depend on the message's length and host. */
const ofTheHop = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'http2-settings', 'expect', 'host', 'content-length'],
]);
/** Headers that only this service and the proxies in front of it exchange. */
const inner =
  /^(x-forwarded-.*|forwarded|via|x-real-ip|x-site-session|x-page-id|x-request-id|x-dry-run|idempotency-key)$/;

/** @param connection values of the message's Connection header, which name further headers to drop */
export function isDropped(name: string, connection: readonly string[] = []): boolean {
  const lower = name.toLowerCase();
  const named = connection.join().toLowerCase().split(',');
  return ofTheHop.has(lower) || inner.test(lower) || named.some((one) => one.trim() === lower);
}

const textType = 'text/plain; charset=utf-8';
const jsonType = 'application/json';

/**
 * Removes dropped headers and turns other headers and the body into text, except a body of bytes. Adds the body's
 * content type if the headers have none.
 * @throws Refusal invalid-input
 */
export function writtenRequest({ url, headers = {}, body, encoding }: ProxiedRequest): WrittenRequest {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, textOf(name, value)] as const],
  );
  const connection = valuesOf(given, 'connection');
  const sent = given.filter(([name]) => !isDropped(name, connection));
  const written = bodyOf(body, encoding);
  const [type = written.type] = valuesOf(sent, 'content-type');
  const isNew = type !== undefined && valuesOf(sent, 'content-type').length === 0;
  return {
    url,
    headers: isNew ? [...sent, ['content-type', type]] : sent,
    body: written.body,
    inBody: /json/i.test(type ?? '') ? inJson : /x-www-form-urlencoded/i.test(type ?? '') ? encodeURIComponent : asIs,
  };
}

/**
 * Returns, for each secret's name, the path of the secret's first occurrence in the input. A body of bytes is not
 * searched.
 * @throws Refusal invalid-input
 */
export function secretsIn({ url, headers, body }: WrittenRequest): ReadonlyMap<string, string> {
  const texts = [
    ['url', url],
    ...headers.map(([header, value]) => [`headers.${header}`, value] as const),
    ...(typeof body === 'string' ? [['body', body] as const] : []),
  ] as const;
  const found = new Map<string, string>();
  let count = 0;
  for (const [path, text] of texts) {
    for (const [, name = ''] of text.matchAll(placeholder)) {
      count += 1;
      if (count > mostPlaceholders) refuseInput([{ path, message: tooManyPlaceholders }]);
      if (!found.has(name)) found.set(name, path);
    }
  }
  return found;
}

export function requestContent({ url, headers, body }: WrittenRequest, tokens: ReadonlyMap<string, string>) {
  const put = (text: string) => replacePlaceholders(text, tokens);
  return {
    url: put(url),
    headers: headers.map(([name, value]) => [name, put(value)] as const),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? Buffer.from(put(body)) : body }),
  };
}

/**
 * Whether a token, the placeholder for a secret, is in the scheme, credentials or host of the address, where it could
 * change the destination.
 */
export function leadsElsewhere(url: string, tokens: Iterable<string>): boolean {
  const { protocol = '', username = '', password = '', host = '' } = URL.parse(url) ?? {};
  return [...tokens].some((token) => `${protocol} ${username} ${password} ${host}`.includes(token));
}

const asIs = (value: string): string => value;

const valuesOf = (headers: WrittenRequest['headers'], name: string): readonly string[] =>
  headers.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value);

function textOf(name: string, value: Json): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return refuseInput([{ path: `headers.${name.slice(0, 100)}`, message: 'must be a string' }]);
}

function bodyOf(
  body: unknown,
  encoding: ProxiedRequest['encoding'],
): { readonly body: string | Uint8Array | undefined; readonly type?: string } {
  if (encoding === 'base64') {
    if (typeof body === 'string' && base64.test(body)) return { body: Buffer.from(body, 'base64') };
    return refuseInput([{ path: 'body', message: 'must be a base64 string, because encoding is base64' }]);
  }
  if (body === undefined || body === null) return { body: undefined };
  if (typeof body === 'string') return { body, type: textType };
  return { body: JSON.stringify(body), type: jsonType };
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

const placeholder = /\{\{secret:([^{}]*)\}\}/g;
/** In all parts of a request together, because each name is looked up and each value is inserted. */
const mostPlaceholders = 100;
const tooManyPlaceholders = `must not bring the request beyond ${mostPlaceholders} placeholders for secrets; send several requests`;

function replacePlaceholders(text: string, replacement: ReadonlyMap<string, string>): string {
  return text.replace(placeholder, (whole, name: string) => replacement.get(name) ?? whole);
}
