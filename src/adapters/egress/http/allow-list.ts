import ipaddr from 'ipaddr.js';
import { type Address, parseAddress } from './address-ranges.js';

/**
 * The list EGRESS_ALLOW. A host name on the list is allowed with any address, and an address or range on the list is
 * allowed under any host name.
 */
export class AllowList {
  private readonly hosts = new Set<string>();
  private readonly ranges: (readonly [Address, number])[] = [];

  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const address = parseAddress(entry);
      if (entry.includes('/')) this.ranges.push(ipaddr.parseCIDR(entry));
      else if (address === undefined) this.hosts.add(entry);
      else this.ranges.push([address, address.kind() === 'ipv4' ? 32 : 128]);
    }
  }

  has(host: string, address: Address): boolean {
    if (this.hosts.has(host)) return true;
    return this.ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
  }
}
