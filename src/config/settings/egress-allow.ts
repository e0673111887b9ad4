import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { canonicalHost } from '../../kernel/text/host-name.js';

/**
 * Wildcards are not allowed, because anyone who can create a host name that matches one could point that name at any
 * internal address.
 * @throws Error with a sentence
 */
export function egressAllow(text: string | undefined): readonly string[] {
  if (!text) return [];
  return text.split(',').map((part) => {
    const entry = part.trim();
    const allowed = entry.includes('/') ? cidr(entry) : entry.includes('*') ? undefined : canonicalHost(entry);
    if (allowed !== undefined) return allowed;
    throw new Error(
      `EGRESS_ALLOW must be a list of hosts, addresses and CIDRs, like intranet.example.org,10.1.2.3,10.0.0.0/8: ` +
        `'${entry}' is not one of these.`,
    );
  });
}

function cidr(entry: string): string | undefined {
  const [address = '', bits = '', ...more] = entry.split('/');
  // Incomplete addresses are rejected first, because ipaddr.js would accept 10/8 and read it as 0.0.0.10/8.
  if (isIP(address) === 0 || more.length > 0) return undefined;
  return ipaddr.isValidCIDR(entry) && /^\d{1,3}$/.test(bits) ? entry : undefined;
}
