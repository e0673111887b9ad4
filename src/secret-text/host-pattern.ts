import { isIP } from 'node:net';

/**
 * A host in its stored form: lower-case ASCII, or an IP address in its usual notation. A name may begin with `*.`,
 * which matches one label. A port is included only if it is not 443.
 */
export type HostPattern = string;

/** `any` means that the secret sets no limit, so only the function's list decides. An empty list allows no host. */
export type HostLimit = readonly HostPattern[] | 'any';

export type CheckedHostPattern =
  | { readonly ok: true; readonly pattern: HostPattern }
  /** The problem, as words that complete a sentence about the field: `allowedHosts[0] must be …`. */
  | { readonly ok: false; readonly wrong: string };

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const longestHost = 253;

const usualPort = 443;

export interface Destination {
  readonly host: string;
  readonly port: number;
}

const TOO_LONG = `must be at most ${longestHost} characters`;
const BARE = 'must be a bare host such as api.example.com';

/**
 * Accepts a host or an address, each with an optional port, or `*.` before a host of at least two labels, where `*`
 * matches exactly one label. Public suffixes, as in `*.co.uk`, are not recognised, but the person who approves sees the
 * pattern in its stored form.
 */
export function checkHostPattern(text: string): CheckedHostPattern {
  const wrong = wrongForm(text);
  if (wrong !== undefined) return { ok: false, wrong };
  const { host, port } = portApart(text);
  if (host.includes(':') && !/^\[[^[\]]*\]$/.test(host)) return refuse(BARE);
  if (port === undefined) return checkHost(host);
  if (!(port >= 1 && port <= 65_535)) return refuse('must have a port from 1 to 65535 after its colon');
  const checked = checkHost(host);
  return checked.ok && port !== usualPort ? { ok: true, pattern: `${checked.pattern}:${port}` } : checked;
}

function checkHost(text: string): CheckedHostPattern {
  const wildcard = text.startsWith('*.');
  const host = canonicalHost(wildcard ? text.slice(2) : text);
  if (host === undefined) return refuse(BARE);
  if (isAddress(host))
    return wildcard ? refuse('must not have a wildcard before an address') : checkAddress(text, host);
  if (host.length > longestHost) return refuse(TOO_LONG);
  if (host.includes('*')) return refuse('may have a wildcard only as its whole first label, as in *.example.com');
  if (host.endsWith('.')) return refuse('must not end with a dot');
  const labels = host.split('.');
  if (!labels.every((one) => label.test(one))) return refuse(BARE);
  if (wildcard && labels.length < 2) return refuse('must have at least two labels after the wildcard');
  return { ok: true, pattern: wildcard ? `*.${host}` : host };
}

/** Ignores ports. `host` is as in a parsed URL. A pattern that is not in the stored form matches only an equal host. */
export function hostMatches(pattern: HostPattern, host: string): boolean {
  return nameMatches(portApart(pattern).host, host);
}

function nameMatches(pattern: string, host: string): boolean {
  const name = host.toLowerCase();
  if (name === '' || name.includes('*')) return false;
  if (pattern === name) return true;
  if (isAddress(name) || !/^\*(?:\.[^.*]+){2,}$/.test(pattern)) return false;
  const dot = name.indexOf('.');
  return dot > 0 && name.slice(dot) === pattern.slice(1);
}

/** Ignores ports. */
export function isHostWithin(host: string, limit: HostLimit): boolean {
  return limit === 'any' || limit.some((pattern) => hostMatches(pattern, host));
}

/** A pattern without a port means port 443, and `any` means every host with port 443. */
export function isNamedWithPort({ host, port }: Destination, limit: HostLimit): boolean {
  if (limit === 'any') return port === usualPort;
  return limit.some((pattern) => portOf(pattern) === port && hostMatches(pattern, host));
}

/** Whether the limit is `any` or has an entry without a port that matches the host. */
export function isNamedWithoutPort(host: string, limit: HostLimit): boolean {
  return (
    limit === 'any' || limit.some((pattern) => portApart(pattern).port === undefined && hostMatches(pattern, host))
  );
}

export function hostsBeyond(hosts: readonly HostPattern[], limit: HostLimit): readonly HostPattern[] {
  if (limit === 'any') return [];
  const reaches = (host: HostPattern) =>
    limit.includes(host) || isNamedWithPort({ host: portApart(host).host, port: portOf(host) }, limit);
  return hosts.filter((host) => !reaches(host));
}

export function isNoWiderThan(hosts: readonly HostPattern[], limit: HostLimit): boolean {
  return hostsBeyond(hosts, limit).length === 0;
}

function portOf(pattern: HostPattern): number {
  return portApart(pattern).port ?? usualPort;
}

/** An IPv6 address contains colons itself, so it must be in brackets if it has a port. */
function portApart(text: string): { readonly host: string; readonly port: number | undefined } {
  const found = /:(\d{1,5})$/.exec(text);
  if (found === null) return { host: text, port: undefined };
  return { host: text.slice(0, found.index), port: Number(found[1]) };
}

function canonicalHost(text: string): string | undefined {
  try {
    return new URL(`https://${text}/`).hostname;
  } catch {
    return undefined;
  }
}

/** Accepts an address only in its usual notation, so that a person recognises it on an approval card. */
function checkAddress(text: string, host: string): CheckedHostPattern {
  return text.toLowerCase() === host ? { ok: true, pattern: host } : refuse(`must be written ${host}`);
}

function wrongForm(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (text.length > longestHost) return TOO_LONG;
  if (text.includes('://') || /^(?:https?|wss?):/i.test(text)) return 'must be a host without a scheme';
  if (/[/\\?#]/.test(text)) return 'must be a host without a path';
  if (text.includes('@')) return 'must be a host without a user';
  if (isIP(text) === 6) return `must be written in brackets, as in [${text.toLowerCase()}]`;
  if (/:$|:\d{6,}$/.test(text)) return 'must have a port from 1 to 65535 after its colon';
  return /[\s\p{Cc}%]/u.test(text) ? BARE : undefined;
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || isIP(host) === 4;
}

function refuse(wrong: string): CheckedHostPattern {
  return { ok: false, wrong };
}
