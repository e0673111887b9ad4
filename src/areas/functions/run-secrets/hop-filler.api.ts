import { randomBytes } from 'node:crypto';
import {
  EGRESS_LIMITS,
  type EgressContent,
  type EgressFill,
  type EgressHop,
  EgressRefused,
} from '../../../ports/network/egress.port.js';
import { CapabilityRefused } from '../../../ports/offloaded/sandbox.port.js';
import type { GrantedSecret, GrantedSecrets } from '../../../secret-text/granted-secret.js';
import { Redactor } from '../../../secret-text/hiding/redactor.js';
import { isHostWithin } from '../../../secret-text/host-pattern.js';
import { destinationOf, whyNotOver, whyNotToHost } from '../../../secret-text/secret-destination.js';

/**
 * A random text that represents a secret in an outgoing request. It is replaced when the request is sent to a host that
 * may receive the secret.
 */
export interface SecretToken {
  readonly token: string;
  /** The secret, with the prefix and suffix that code adds to it. */
  readonly value: string;
  readonly secret: string;
}

export interface HopFilling {
  readonly tokens: readonly SecretToken[];
  readonly granted: GrantedSecrets;
  readonly whose: string;
  readonly inBody: (value: string) => string;
}

/** Returns the inside of a JSON string, without the quotes. */
export const inJson = (value: string): string => JSON.stringify(value).slice(1, -1);

const tokenStart = 'cs';
const tokenBytes = 18;
const tokenLength = tokenStart.length + 2 * tokenBytes;

/** Needs no encoding in URLs. */
export const newToken = (): string => tokenStart + randomBytes(tokenBytes).toString('hex');

/**
 * A hop is the first request or a redirect, and receives only the secrets that may be sent to its host. A server can
 * put a secret that it received into the address of a redirect. Such an address is followed only to a host that may
 * receive the secret. Returns undefined if the run has no secret that can be sent anywhere.
 */
export function hopFiller({ tokens, granted, whose, inBody }: HopFilling): EgressFill | undefined {
  const sendable = [...granted.values()].filter(({ hosts }) => hosts.length > 0);
  if (sendable.length === 0) return undefined;
  let readable = tokens.length > 0;
  return async (hop) => {
    const to = destinationOf(hop.url);
    if (to === undefined) throw new Error(`The URL of a request to ${hop.host} is not an http or https URL.`);
    // Responses must be searchable for secrets even if the request has none, because a host might have stored one from
    // an earlier request.
    readable ||= sendable.some(({ hosts }) => isHostWithin(to.host, hosts));
    const allowed = new Set<string>();
    for (const secret of secretsOf(tokens, granted)) {
      const { name } = secret;
      const hostRefused = whyNotToHost(to.host, secret, whose);
      if (hostRefused === undefined) {
        const overRefused = await whyNotOver(to, secret, () => hop.allowedByOperator());
        if (overRefused !== undefined) throw no(`The secret ${name} was not sent to ${to.host}: ${overRefused}.`);
        allowed.add(name);
      } else if (hop.location === undefined) throw no(`The secret ${name} was not sent to ${to.host}: ${hostRefused}.`);
      else if (isCarried(secret, hop))
        throw no(
          `The redirect to ${shownHost(to.host, secret)} was not followed: its URL contains the secret ${name}, and ${hostRefused}.`,
        );
    }
    return { ...filled(hop, { tokens: tokens.filter(({ secret }) => allowed.has(secret)), inBody }), readable };
  };
}

/** The texts of a request with its secrets can temporarily be longer than the request may be, but not much. */
const mostFilled = 2 * EGRESS_LIMITS.requestBytes;

/**
 * Reads the text once, however many tokens it contains, and stops as soon as the result is too long.
 * @throws EgressRefused
 */
function inserted(text: string, values: ReadonlyMap<string, string>, written: (value: string) => string): string {
  const parts: string[] = [];
  let done = 0;
  let { length } = text;
  for (let at = text.indexOf(tokenStart); at >= 0; at = text.indexOf(tokenStart, at)) {
    const value = values.get(text.slice(at, at + tokenLength));
    if (value === undefined) {
      at += 1;
      continue;
    }
    const put = written(value);
    length += put.length - tokenLength;
    if (length > mostFilled) throw tooLargeFilled();
    parts.push(text.slice(done, at), put);
    at += tokenLength;
    done = at;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(done);
}

const tooLargeFilled = () =>
  new EgressRefused(
    'too-large',
    'The request is too large with its secrets filled in; insert them less often, or send less at a time.',
  );

function filled({ url, headers, body }: EgressContent, { tokens, inBody }: Pick<HopFilling, 'tokens' | 'inBody'>) {
  const values = new Map(tokens.map(({ token, value }) => [token, value]));
  const put = (text: string, written: (value: string) => string) => inserted(text, values, written);
  // Treats each byte as one character, because a body need not be text.
  const putInBytes = (body: Uint8Array) =>
    Buffer.from(
      put(Buffer.from(body).toString('latin1'), (value) => Buffer.from(inBody(value)).toString('latin1')),
      'latin1',
    );
  return {
    url: put(url, encodeURIComponent),
    headers: headers.map(([name, value]) => [name, put(value, (secret) => secret)] as const),
    ...(body === undefined ? {} : { body: putInBytes(body) }),
  };
}

function secretsOf(tokens: readonly SecretToken[], granted: GrantedSecrets): readonly GrantedSecret[] {
  return [...new Set(tokens.map(({ secret }) => secret))].flatMap((name) => granted.get(name) ?? []);
}

/** Searches the URL as it would be sent, and the Location header in two forms: as received, and decoded as UTF-8. */
function isCarried(secret: GrantedSecret, { url, location = '' }: EgressHop): boolean {
  const [words = ''] = location.split('#');
  return holds(secret, `${url}\n${words}\n${Buffer.from(words, 'latin1').toString('utf8')}`);
}

/** URLs have lower-case hosts, so the value is also searched in lower case. */
function holds({ value = '' }: GrantedSecret, text: string): boolean {
  return new Redactor([value, value.toLowerCase()]).text(text).hid;
}

/** A host name that contains the secret must not be shown. */
function shownHost(host: string, secret: GrantedSecret): string {
  return holds(secret, host) ? 'another host' : host;
}

function no(sentence: string): CapabilityRefused {
  return new CapabilityRefused(sentence, 'secret-host', 403);
}
