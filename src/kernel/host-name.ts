import { isIPv6 } from 'node:net';

/** What ends a host in a URL, or is taken out of one without a word. */
const notOfAHost = /[\s/:@?#\\]/;
const longestName = 253;

/**
 * A host as URLs write it: lower case, ASCII (`xn--…`), an IPv4 address in whatever notation as four decimal numbers, an
 * IPv6 address short and without brackets, no dot at the end. Undefined for what is not a host and nothing else.
 */
export function canonicalHost(text: string): string | undefined {
  if (notOfAHost.test(text) && !isIPv6(text)) return undefined;
  const url = URL.parse(isIPv6(text) ? `http://[${text}]` : `http://${text}`);
  return url === null ? undefined : hostOf(url);
}

/** The same of a URL. Undefined when no name can be that long. */
export function hostOf(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/(?<=.)\.$/, '');
  return host.length > longestName ? undefined : host;
}
