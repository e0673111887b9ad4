import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type AddressRange =
  | 'public'
  | 'private'
  | 'loopback'
  | 'link-local'
  | 'shared'
  | 'multicast'
  | 'broadcast'
  | 'unspecified'
  | 'reserved';

/**
 * The keys are ipaddr.js's names. Other ranges are public, reserved, or judged by the IPv4 address that their addresses
 * contain.
 */
const ranges: ReadonlyMap<string, AddressRange> = new Map([
  ['private', 'private'],
  ['uniqueLocal', 'private'],
  ['deprecatedSiteLocal', 'private'],
  ['loopback', 'loopback'],
  ['linkLocal', 'link-local'],
  ['carrierGradeNat', 'shared'],
  ['multicast', 'multicast'],
  ['broadcast', 'broadcast'],
  ['unspecified', 'unspecified'],
]);

/** All IPv6 addresses assigned for public use so far. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

type Inner = (groups: readonly number[]) => readonly ipaddr.IPv4[];
const last: Inner = (groups) => [ipv4(groups[6], groups[7])];

/**
 * IPv6 addresses that routers or tunnels translate to IPv4. They are treated like the IPv4 addresses that they contain.
 */
const wrappers: readonly { readonly prefix: [ipaddr.IPv6, number]; readonly inner: Inner }[] = [
  // IPv4-compatible, IPv4-translated, NAT64.
  { prefix: ipaddr.IPv6.parseCIDR('::/96'), inner: last },
  { prefix: ipaddr.IPv6.parseCIDR('::ffff:0:0:0/96'), inner: last },
  { prefix: ipaddr.IPv6.parseCIDR('64:ff9b::/96'), inner: last },
  // 6to4 and Teredo. A Teredo address contains its server and, with all bits inverted, its client.
  { prefix: ipaddr.IPv6.parseCIDR('2002::/16'), inner: (groups) => [ipv4(groups[1], groups[2])] },
  {
    prefix: ipaddr.IPv6.parseCIDR('2001::/32'),
    inner: (groups) => [ipv4(groups[2], groups[3]), ipv4(~(groups[6] ?? 0), ~(groups[7] ?? 0))],
  },
];

/**
 * IPv4-mapped IPv6 addresses become the IPv4 address. Returns undefined for texts that a socket does not accept as an
 * address.
 */
export function parseAddress(text: string): Address | undefined {
  // ipaddr.js alone would also accept 127.1 and the like.
  return isIP(text) === 0 ? undefined : ipaddr.process(text);
}

export function addressRangeOf(address: Address): AddressRange {
  return address instanceof ipaddr.IPv4 ? rangeOf4(address) : rangeOf6(address);
}

/** On Azure this public address leads to services of the host machine. */
const azureHost = '168.63.129.16';

function rangeOf4(address: ipaddr.IPv4): AddressRange {
  if (address.toString() === azureHost) return 'reserved';
  const range = address.range();
  return range === 'unicast' ? 'public' : (ranges.get(range) ?? 'reserved');
}

function rangeOf6(address: ipaddr.IPv6): AddressRange {
  const range = address.range();
  const known = ranges.get(range);
  if (known !== undefined) return known;
  const wrapper = wrappers.find(({ prefix }) => address.match(prefix));
  const inner = [...(wrapper?.inner(address.parts) ?? []), ...(isIsatap(address.parts) ? last(address.parts) : [])];
  const notPublic = inner.map(rangeOf4).find((one) => one !== 'public');
  if (notPublic !== undefined) return notPublic;
  if (wrapper !== undefined) return 'public';
  return range === 'unicast' && address.match(globalUnicast) ? 'public' : 'reserved';
}

/** An ISATAP address can have any prefix, and two bits of its fifth group vary. */
function isIsatap(groups: readonly number[]): boolean {
  return ((groups[4] ?? 0) & 0xfcff) === 0 && groups[5] === 0x5efe;
}

function ipv4(high = 0, low = 0): ipaddr.IPv4 {
  return new ipaddr.IPv4([(high >> 8) & 0xff, high & 0xff, (low >> 8) & 0xff, low & 0xff]);
}
