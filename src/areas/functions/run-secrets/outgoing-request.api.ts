import type { Json, JsonObject } from '../../../kernel/json/json.js';
import type { EgressContent, EgressFill, EgressHeaders } from '../../../ports/network/egress.port.js';
import { CapabilityRefused } from '../../../ports/offloaded/sandbox.port.js';
import { fillMarkers } from '../../../secret-text/fill-markers.js';
import { type MarkedRequest, replaceMarkers } from '../../../secret-text/marked-request.js';
import { type Marker, markerText } from '../../../secret-text/marker.js';
import { hopFiller, inJson, newToken, type SecretToken } from './hop-filler.api.js';
import type { RunSecrets } from './run-secrets.api.js';

export interface Outgoing extends EgressContent {
  readonly method: string;
  readonly followRedirects: boolean;
  readonly fill?: EgressFill;
}

const members = ['url', 'method', 'headers', 'query', 'body', 'redirect'];

/**
 * Each marker of a secret becomes a random token, which code never sees. When the request or a redirect is sent, the
 * token becomes the secret's value, but only for a host that may receive it.
 * @throws CapabilityRefused if the request is malformed, or a secret may not be sent to its host
 */
export function outgoing(request: MarkedRequest, { seal, granted }: RunSecrets, whose = 'function'): Outgoing {
  const unknown = Object.keys(request).find((name) => request[name] !== undefined && !members.includes(name));
  if (unknown !== undefined) return no(`does not know ${unknown.slice(0, 100)}`);
  const judged = fillMarkers(request, { seal, secrets: granted, whose });
  if (!judged.ok) {
    const isNoRight = judged.problem === 'host' || judged.problem === 'not-granted';
    throw new CapabilityRefused(judged.sentence, `secret-${judged.problem}`, isNoRight ? 403 : 400);
  }
  const tokens: SecretToken[] = [];
  const marked =
    judged.filled.length === 0 ? request : replaceMarkers(request, seal, (marker) => tokenFor(tokens, marker, granted));
  const { method = 'GET', redirect = 'follow' } = marked;
  if (typeof method !== 'string') return no('takes a text as method');
  if (redirect !== 'follow' && redirect !== 'manual') return no("takes 'follow' or 'manual' as redirect");
  const { body, type } = bodyOf(marked.body);
  const content: EgressContent = {
    url: urlOf(marked.url, marked.query),
    headers: headersOf(marked.headers, type),
    ...(body === undefined ? {} : { body }),
  };
  const sent = { ...content, method: method.toUpperCase(), followRedirects: redirect === 'follow' };
  const fill = hopFiller({ tokens, granted, whose, inBody: type === form ? encodeURIComponent : inJson });
  return fill === undefined ? sent : { ...sent, fill };
}

function tokenFor(tokens: SecretToken[], marker: Marker, granted: RunSecrets['granted']): string | undefined {
  const value = granted.get(marker.secret)?.value;
  if (value === undefined) return undefined;
  const token = newToken();
  tokens.push({ token, value: markerText(marker, value), secret: marker.secret });
  return token;
}

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

function bodyOf(body: Json | undefined): { readonly body?: Uint8Array; readonly type?: string } {
  if (body === undefined || body === null) return {};
  if (typeof body === 'string') return { body: Buffer.from(body), type: 'text/plain; charset=utf-8' };
  if (typeof body === 'object' && !Array.isArray(body)) {
    const { $bytes: bytes, $form: encoded, ...rest } = body as JsonObject;
    const only = Object.keys(rest).length === 0;
    if (only && typeof bytes === 'string') return { body: Buffer.from(bytes, 'base64') };
    if (only && typeof encoded === 'string') return { body: Buffer.from(encoded), type: form };
    if (only && isObject(encoded)) return { body: Buffer.from(queryOf(encoded)), type: form };
  }
  return { body: Buffer.from(JSON.stringify(body)), type: json };
}

function headersOf(headers: Json | undefined, type: string | undefined): EgressHeaders {
  if (headers !== undefined && headers !== null && !isObject(headers)) return no('takes an object as headers');
  const given = Object.entries(headers ?? {}).flatMap(([name, value]): readonly (readonly [string, string])[] =>
    value === undefined || value === null ? [] : [[name, textOf(value, `the header ${name.slice(0, 100)}`)]],
  );
  const hasType = given.some(([name]) => name.toLowerCase() === 'content-type');
  return hasType || type === undefined ? given : [...given, ['content-type', type]];
}

function urlOf(url: string, query: Json | undefined): string {
  if (query === undefined || query === null) return url;
  if (!isObject(query)) return no('takes an object as query');
  const added = queryOf(query);
  if (added === '') return url;
  const [before = '', ...fragment] = url.split('#');
  return [before + (before.includes('?') ? '&' : '?') + added, ...fragment].join('#');
}

function queryOf(query: JsonObject): string {
  return Object.entries(query)
    .flatMap(([name, value]) =>
      Array.isArray(value) ? value.map((one) => [name, one] as const) : [[name, value] as const],
    )
    .filter(([, value]) => value !== undefined && value !== null)
    .map(
      ([name, value]) =>
        `${encodeURIComponent(name)}=${encodeURIComponent(textOf(value, `the query ${name.slice(0, 100)}`))}`,
    )
    .join('&');
}

function textOf(value: unknown, what: string): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return no(`takes text as ${what}`);
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function no(what: string): never {
  throw new CapabilityRefused(`The request ${what}.`, 'invalid-input', 400);
}
