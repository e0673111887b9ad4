/**
 * An IPv4 address as a number. This file uses no address parser, so that it cannot share a mistake with the code under
 * test.
 */
export type Ipv4 = number;

export function ipv4Of(text: string): Ipv4 {
  return text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

export function dotted(address: Ipv4): string {
  return bytesOf(address).join('.');
}

const bytesOf = (address: Ipv4) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff);
const group = (value: number) => (value & 0xffff).toString(16);
const groups = (address: Ipv4) => `${group(address >>> 16)}:${group(address)}`;
const shifted = (text: string, by: number) => text.replace(/\d/g, (digit) => String.fromCodePoint(by + Number(digit)));

/** For each notation that URLs allow, a function that writes an address in it. */
export const notations: Readonly<Record<string, (address: Ipv4) => string>> = {
  'four decimal numbers': dotted,
  'a dot at its end': (address) => `${dotted(address)}.`,
  'one decimal number': (address) => String(address),
  'one octal number': (address) => `0${address.toString(8)}`,
  'one hexadecimal number': (address) => `0x${address.toString(16)}`,
  'one hexadecimal number, in capitals and with zeroes': (address) => `0X00000${address.toString(16).toUpperCase()}`,
  'four octal numbers': (address) =>
    bytesOf(address)
      .map((byte) => `0${byte.toString(8)}`)
      .join('.'),
  'four octal numbers with zeroes': (address) =>
    bytesOf(address)
      .map((byte) => `000${byte.toString(8)}`)
      .join('.'),
  'four hexadecimal numbers': (address) =>
    bytesOf(address)
      .map((byte) => `0x${byte.toString(16)}`)
      .join('.'),
  'a mixture': (address) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytesOf(address);
    return `0x${a.toString(16)}.${b}.0${c.toString(8)}.${d}`;
  },
  'three numbers': (address) => `${address >>> 24}.${(address >>> 16) & 0xff}.${address & 0xffff}`,
  'two numbers': (address) => `${address >>> 24}.${address & 0xff_ffff}`,
  'two hexadecimal numbers': (address) => `0x${(address >>> 24).toString(16)}.0x${(address & 0xff_ffff).toString(16)}`,
  'percent encodings': (address) => dotted(address).replace(/./g, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
  'fullwidth digits': (address) => shifted(dotted(address), 0xff10),
  'mathematical digits': (address) => shifted(dotted(address), 0x1d7d8),
  'ideographic full stops': (address) => dotted(address).replaceAll('.', '。'),
  'fullwidth digits in percent encodings': (address) => encodeURIComponent(shifted(dotted(address), 0xff10)),
};

/** For each kind of IPv6 address that leads to an IPv4 address, a function that writes it. */
export const embeddings: Readonly<Record<string, (address: Ipv4) => string>> = {
  'IPv4-mapped': (address) => `::ffff:${groups(address)}`,
  'IPv4-mapped, with dots': (address) => `::ffff:${dotted(address)}`,
  'IPv4-mapped, at full length': (address) => `0000:0000:0000:0000:0000:FFFF:${dotted(address)}`,
  'IPv4-compatible': (address) => `::${groups(address)}`,
  'IPv4-compatible, with dots': (address) => `::${dotted(address)}`,
  'IPv4-translated': (address) => `::ffff:0:${groups(address)}`,
  NAT64: (address) => `64:ff9b::${groups(address)}`,
  'NAT64, with dots': (address) => `64:ff9b::${dotted(address)}`,
  '6to4': (address) => `2002:${groups(address)}::1`,
  'a Teredo server': (address) => `2001:0:${groups(address)}:0:0:f7f7:f7f7`,
  'a Teredo client': (address) => `2001:0:808:808:0:0:${groups(~address)}`,
  ISATAP: (address) => `2600:1234::5efe:${groups(address)}`,
  'ISATAP of a unique address': (address) => `2600:1234::200:5efe:${groups(address)}`,
  'ISATAP under 6to4': (address) => `2002:808:808::5efe:${groups(address)}`,
};

/** Ranges that are not globally reachable according to IANA's registry of special IPv4 addresses, and multicast. */
export const specialRanges: Readonly<Record<string, readonly [from: string, bits: number][]>> = {
  unspecified: [['0.0.0.0', 8]],
  private: [
    ['10.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
  ],
  shared: [['100.64.0.0', 10]],
  loopback: [['127.0.0.0', 8]],
  'link-local': [['169.254.0.0', 16]],
  multicast: [['224.0.0.0', 4]],
  reserved: [
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['240.0.0.0', 4],
  ],
};

/**
 * Ranges that are public according to the registry but useless to customers: sinks for reverse look-ups, and a relay
 * for multicast.
 */
export const sinks: readonly (readonly [from: string, bits: number])[] = [
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.175.48.0', 24],
];

export const inRange = (address: Ipv4, [from, bits]: readonly [string, number]): boolean =>
  Math.floor(address / 2 ** (32 - bits)) === Math.floor(ipv4Of(from) / 2 ** (32 - bits));
