import { canonicalHost } from '../../kernel/text/host-name.js';
import type { DnsServer } from '../../ports/network/dns.port.js';

const usualPort = 53;

/** Parses a list such as `127.0.0.1:5353, [::1]:53, dns`. @throws Error with a sentence that names the variable */
export function dnsServers(text: string | undefined): readonly DnsServer[] {
  const entries = (text ?? '').split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map(serverOf);
}

function serverOf(entry: string): DnsServer {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const host = canonicalHost(bracketed ?? plain ?? '');
  const port = Number(digits ?? usualPort);
  if (host !== undefined && host !== '' && port >= 1 && port <= 65_535) return { host, port };
  throw new Error(`DNS_SERVERS must be a list of servers as host:port, separated by commas; ${entry} is not one.`);
}

/** @throws Error with a sentence that names the variable */
export function appDomain(text: string | undefined): string {
  const domain = canonicalHost(text || 'localhost');
  if (domain !== undefined && /^[a-z0-9.-]*[a-z][a-z0-9-]*$/.test(domain)) return domain;
  throw new Error('APP_DOMAIN must be a domain such as sites.example.com, without scheme and port.');
}
