import { hash } from 'node:crypto';
import type { PackEntry } from './pack-scan.js';

export interface PackFiles {
  readonly pack: Buffer;
  /** Index in version 2 of git's format, without offsets beyond 2 GB. */
  readonly index: Buffer;
}

const magic = Buffer.from('ff744f6300000002', 'hex');
const fanOut = 256;
const headerBytes = 12;
const trailerBytes = 20;

export function packIndex(pack: Buffer, entries: readonly PackEntry[]): Buffer {
  const sorted = entries.toSorted((one, other) => (one.oid < other.oid ? -1 : 1));
  const counts = Buffer.alloc(fanOut * 4);
  let at = 0;
  for (let first = 0; first < fanOut; first++) {
    while (at < sorted.length && Number.parseInt((sorted[at] as PackEntry).oid.slice(0, 2), 16) <= first) at++;
    counts.writeUInt32BE(at, first * 4);
  }
  const numbers = (pick: (entry: PackEntry) => number) => {
    const bytes = Buffer.alloc(sorted.length * 4);
    for (const [index, entry] of sorted.entries()) bytes.writeUInt32BE(pick(entry), index * 4);
    return bytes;
  };
  const oids = Buffer.from(sorted.map(({ oid }) => oid).join(''), 'hex');
  const body = [magic, counts, oids, numbers(({ crc }) => crc), numbers(({ offset }) => offset)];
  const whole = Buffer.concat([...body, pack.subarray(pack.length - trailerBytes)]);
  return Buffer.concat([whole, hash('sha1', whole, 'buffer')]);
}

/** Sorted by oid. */
export function packEntries(index: Buffer): readonly PackEntry[] {
  const names = magic.length + fanOut * 4;
  const count = index.readUInt32BE(names - 4);
  return Array.from({ length: count }, (_, at) => ({
    oid: index.toString('hex', names + at * 20, names + at * 20 + 20),
    crc: index.readUInt32BE(names + count * 20 + at * 4),
    offset: index.readUInt32BE(names + count * 24 + at * 4),
  }));
}

/**
 * Copies the compressed objects unchanged, so the offsets by which deltas refer to their bases remain right. Returns
 * undefined if both contain the same object, because a pack must not contain an object twice.
 */
export function joinedPacks(one: PackFiles, other: PackFiles): PackFiles | undefined {
  const first = packEntries(one.index);
  const second = packEntries(other.index);
  if (new Set([...first, ...second].map(({ oid }) => oid)).size < first.length + second.length) return undefined;
  const shift = one.pack.length - trailerBytes - headerBytes;
  const pack = Buffer.alloc(one.pack.length + other.pack.length - headerBytes - trailerBytes);
  one.pack.copy(pack, 0, 0, one.pack.length - trailerBytes);
  pack.writeUInt32BE(first.length + second.length, 8);
  other.pack.copy(pack, one.pack.length - trailerBytes, headerBytes, other.pack.length - trailerBytes);
  const end = pack.length - trailerBytes;
  hash('sha1', pack.subarray(0, end), 'buffer').copy(pack, end);
  const entries = [...first, ...second.map((entry) => ({ ...entry, offset: entry.offset + shift }))];
  return { pack, index: packIndex(pack, entries) };
}

export const packDigest = ({ pack }: Pick<PackFiles, 'pack'>): string =>
  pack.toString('hex', pack.length - trailerBytes);
