import { validateHeaderName, validateHeaderValue } from 'node:http';
import { hostOf } from '../../../kernel/text/host-name.js';
import { type EgressLimits, EgressRefused } from '../../../ports/network/egress.port.js';
import type { HttpMessage } from './exchange.js';
import { sizeInWords } from './words.js';

/**
 * Refused ports. Mail must be sent through a mailbox instead of a web request, and old mail servers would execute the
 * lines of an HTTP request as commands.
 */
const mailPorts = ['25', '465', '587'];

/** Methods that open tunnels or make the server repeat the request in its response. */
const refusedMethods = ['CONNECT', 'TRACE', 'TRACK'];

/** These headers control the connection or the message's length, so they could smuggle a second request. */
const refusedHeaders =
  /^(connection|content-length|expect|host|http2-settings|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

export interface RequestTarget {
  readonly url: URL;
  /** The host as returned by `canonicalHost`. */
  readonly host: string;
}

/**
 * Removes the fragment.
 * @throws EgressRefused
 */
export function requestTargetOf(text: string): RequestTarget {
  const url = URL.parse(text);
  const host = url === null ? undefined : hostOf(url);
  if (url === null || host === undefined)
    throw new EgressRefused(
      'url',
      'The address of a request must be a complete URL, such as https://example.com/path.',
    );
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new EgressRefused('url', 'The address of a request must begin with https:// or http://.');
  if (url.username !== '' || url.password !== '')
    throw new EgressRefused('url', `The address at '${host}' contains a user or a password; send them in a header.`);
  if (mailPorts.includes(url.port))
    throw new EgressRefused('port', `Port ${url.port} of '${host}' is for mail; send mail through a mailbox.`);
  if (!url.hostname.startsWith('[')) url.hostname = host;
  url.hash = '';
  return { url, host };
}

/** @throws EgressRefused */
export function methodOf(text: string): string {
  const method = text.toUpperCase();
  if (refusedMethods.includes(method) || !isToken(method))
    throw new EgressRefused('method', 'The method must be one such as GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS.');
  return method;
}

/**
 * Checks the message as it is sent, including filled values.
 * @throws EgressRefused
 */
export function checkMessage({ url, headers, body }: HttpMessage, limits: EgressLimits): void {
  for (const [name, value] of headers) checkHeader(name, value);
  const size = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, url.href.length);
  if (size > limits.headerBytes)
    throw tooLarge(`The address and the headers of a request may have at most ${sizeInWords(limits.headerBytes)}`);
  if (headers.length > limits.headerCount) throw tooLarge(`A request may have at most ${limits.headerCount} headers`);
  if (body !== undefined && body.length > limits.requestBytes)
    throw tooLarge(`The body of a request may have at most ${sizeInWords(limits.requestBytes)}`);
}

const tooLarge = (limit: string) => new EgressRefused('too-large', `${limit}; send less at a time.`);

function checkHeader(name: string, value: string): void {
  if (!isToken(name))
    throw new EgressRefused('header', 'The name of a header must consist of letters, digits and hyphens.');
  if (refusedHeaders.test(name))
    throw new EgressRefused('header', `The header '${name}' is set by the service itself; omit it.`);
  if (!accepts(() => validateHeaderValue(name, value)))
    throw new EgressRefused(
      'header',
      `The header '${name}' contains a character that is not allowed in headers; remove it.`,
    );
}

/** Methods and header names have the same syntax. */
function isToken(text: string): boolean {
  return accepts(() => validateHeaderName(text));
}

function accepts(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
