import { createHash, hash } from 'node:crypto';
import { crc32, inflateSync } from 'node:zlib';
import { GitRefused } from '../../../ports/offloaded/git-repositories.port.js';
import { applyDelta, resultSizeOf } from './delta.js';

export interface PackEntry {
  readonly oid: string;
  readonly offset: number;
  readonly crc: number;
}

export interface PackLimits {
  readonly bytes: number;
  readonly objects: number;
}

interface RawEntry {
  readonly offset: number;
  readonly data: number;
  readonly type: number;
  readonly size: number;
  /** Base of a delta: its offset in the pack or its oid. Undefined if the object is not a delta. */
  readonly base: number | string | undefined;
  readonly crc: number;
}

interface Unpacked {
  readonly type: number;
  readonly bytes: Buffer;
}

const typeNames: Readonly<Record<number, string>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const ofsDelta = 6;
const refDelta = 7;
const headerBytes = 12;
const trailerBytes = 20;
/** Longest chain of deltas. Git has the same limit. */
const longestChain = 4_095;
const cacheBytes = 32 * 1024 * 1024;

const broken = (why: string) => new GitRefused(`The pack is broken: ${why}.`);

/**
 * Checks the sizes (before unpacking), the digests, and that the pack contains the base of each delta.
 * @throws GitRefused
 */
export function scanPack(pack: Buffer, limits: PackLimits): readonly PackEntry[] {
  const raw = rawEntries(pack, limits);
  return new Objects(pack, raw).entries();
}

function rawEntries(pack: Buffer, limits: PackLimits): readonly RawEntry[] {
  const end = pack.length - trailerBytes;
  if (end < headerBytes || pack.toString('latin1', 0, 4) !== 'PACK')
    throw broken('it does not begin with the header of a pack');
  if (![2, 3].includes(pack.readUInt32BE(4))) throw broken('its version is not supported');
  if (!pack.subarray(end).equals(hash('sha1', pack.subarray(0, end), 'buffer'))) throw broken('its digest is wrong');
  const count = pack.readUInt32BE(8);
  if (count > limits.objects) throw new GitRefused(`The history has more than ${limits.objects} objects.`);
  const entries: RawEntry[] = [];
  let unpacked = 0;
  for (let offset = headerBytes; entries.length < count; ) {
    const head = readHead(pack, offset, end);
    if (head.size > limits.bytes) throw tooLarge(limits);
    const { buffer, consumed } = inflated(pack.subarray(head.data, end), head.size);
    // A delta of a few bytes can produce a large object, so the size of the result is checked too.
    const size = head.base === undefined ? head.size : resultSizeOf(buffer);
    unpacked += Math.max(size, head.size);
    if (unpacked > limits.bytes) throw tooLarge(limits);
    const next = head.data + consumed;
    entries.push({ ...head, crc: crc32(pack.subarray(offset, next)) });
    offset = next;
    if (entries.length === count && offset !== end) throw broken('it has data after its last object');
  }
  return entries;
}

const tooLarge = ({ bytes }: PackLimits) =>
  new GitRefused(`The history is larger than ${Math.round(bytes / 1024 / 1024)} MB when it is unpacked.`);

function readHead(pack: Buffer, offset: number, end: number): Omit<RawEntry, 'crc'> {
  let at = offset;
  const byte = () => {
    if (at >= end) throw broken('it ends in the middle of an object');
    return pack[at++] as number;
  };
  let read = byte();
  const type = (read >> 4) & 7;
  let size = read & 15;
  for (let factor = 16; read & 0x80; factor *= 128) {
    read = byte();
    size += (read & 0x7f) * factor;
  }
  if (type === refDelta) {
    if (at + trailerBytes > end) throw broken('it ends in the middle of an object');
    const base = pack.toString('hex', at, at + trailerBytes);
    return { offset, type, size, base, data: at + trailerBytes };
  }
  if (type === ofsDelta) {
    read = byte();
    let back = read & 0x7f;
    while (read & 0x80) {
      read = byte();
      back = (back + 1) * 128 + (read & 0x7f);
      if (back > pack.length) throw broken('the base of a delta is missing');
    }
    return { offset, type, size, base: offset - back, data: at };
  }
  if (typeNames[type] === undefined) throw broken('it has an object of an unknown type');
  return { offset, type, size, base: undefined, data: at };
}

/**
 * Stops as soon as the result is larger than the declared size.
 * @throws GitRefused if the size is not the declared one or the data is not valid compressed data
 */
function inflated(bytes: Buffer, size: number): { readonly buffer: Buffer; readonly consumed: number } {
  try {
    const options = { maxOutputLength: Math.max(size, 1), info: true, chunkSize: Math.min(Math.max(size, 64), 65_536) };
    const { buffer, engine } = inflateSync(bytes, options) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    if (buffer.length === size) return { buffer, consumed: engine.bytesWritten };
  } catch {
    // Either the object is larger than declared, or its data is not valid compressed data.
  }
  throw broken('an object does not have the size that its header states');
}

class Objects {
  private readonly byOffset: ReadonlyMap<number, RawEntry>;
  private readonly oids = new Map<number, string>();
  private readonly offsets = new Map<string, number>();
  private readonly cache = new Map<number, Unpacked>();
  private cacheSize = 0;

  constructor(
    private readonly pack: Buffer,
    private readonly raw: readonly RawEntry[],
  ) {
    this.byOffset = new Map(raw.map((one) => [one.offset, one]));
  }

  entries(): readonly PackEntry[] {
    // A delta can name its base by an oid, and the base can appear later in the pack. So unresolved deltas are tried
    // again.
    let waiting = this.raw;
    while (waiting.length > 0) {
      const left = waiting.filter((one) => !this.resolve(one));
      if (left.length === waiting.length) throw broken('the base of a delta is missing');
      waiting = left;
    }
    return this.raw.map(({ offset, crc }) => ({ oid: this.oids.get(offset) ?? '', offset, crc }));
  }

  private resolve(entry: RawEntry): boolean {
    const found = this.unpacked(entry);
    if (found === undefined) return false;
    const header = `${typeNames[found.type]} ${found.bytes.length}\0`;
    const oid = createHash('sha1').update(header).update(found.bytes).digest('hex');
    this.oids.set(entry.offset, oid);
    this.offsets.set(oid, entry.offset);
    return true;
  }

  private unpacked(entry: RawEntry): Unpacked | undefined {
    const chain: RawEntry[] = [];
    let one = entry;
    let found: Unpacked | undefined;
    for (;;) {
      found = this.cache.get(one.offset);
      if (found !== undefined) break;
      if (one.base === undefined) {
        found = { type: one.type, bytes: this.dataOf(one) };
        this.remember(one.offset, found);
        break;
      }
      chain.push(one);
      if (chain.length > longestChain) throw broken('a chain of deltas is too long');
      const offset = typeof one.base === 'number' ? one.base : this.offsets.get(one.base);
      if (offset === undefined) return undefined;
      one = this.byOffset.get(offset) ?? fail('the base of a delta is missing');
    }
    for (const delta of chain.reverse()) {
      found = { type: found.type, bytes: applyDelta(found.bytes, this.dataOf(delta)) };
      this.remember(delta.offset, found);
    }
    return found;
  }

  private dataOf({ data, size }: RawEntry): Buffer {
    return inflated(this.pack.subarray(data), size).buffer;
  }

  private remember(offset: number, unpacked: Unpacked): void {
    this.cache.set(offset, unpacked);
    this.cacheSize += unpacked.bytes.length;
    for (const [oldest, { bytes }] of this.cache) {
      if (this.cacheSize <= cacheBytes || oldest === offset) break;
      this.cache.delete(oldest);
      this.cacheSize -= bytes.length;
    }
  }
}

function fail(why: string): never {
  throw broken(why);
}
