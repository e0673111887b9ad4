import { isIPv6 } from 'node:net';

/** Characters that end a host in a URL, or that URL parsers silently remove. */
const notOfAHost = /[\s/:@?#\\]/;
const longestName = 253;

/**
 * The canonical form has lower case, ASCII (`xn--…`), an IPv4 address in any notation as four decimal numbers, an IPv6
 * address shortened and without brackets, and no trailing dot. Returns undefined if the text is not exactly one host or
 * the host is longer than 253 characters.
 */
export function canonicalHost(text: string): string | undefined {
  if (notOfAHost.test(text) && !isIPv6(text)) return undefined;
  const url = URL.parse(isIPv6(text) ? `http://[${text}]` : `http://${text}`);
  return url === null ? undefined : hostOf(url);
}

export function hostOf(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/(?<=.)\.$/, '');
  return host.length > longestName ? undefined : host;
}
