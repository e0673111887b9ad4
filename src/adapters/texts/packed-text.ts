import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { referTo } from '../../kernel/text/text.js';
import { fromWtf8, wtf8 } from '../../kernel/text/wtf8.js';
import { TextDamaged } from '../../ports/texts.port.js';

// Both use libuv's threads, so that a text of megabytes does not block the main thread.
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** From this level on, zstd also finds a repeated megabyte in a base of megabytes. */
const level = 6;
const smallestWindowLog = 10;
const largestWindowLog = 24;
/** If a text shrinks to less than this fraction with its base, it is not also compressed by itself for comparison. */
const clearGain = 1 / 16;

export interface Packed {
  readonly packed: Uint8Array;
  /** Whether the base is needed to unpack it. */
  readonly onBase: boolean;
}

export async function pack(text: string, base?: string): Promise<Packed> {
  const bytes = wtf8(text);
  const dictionary = base === undefined || base === '' ? undefined : wtf8(base);
  if (dictionary === undefined) return { packed: await compressed(bytes), onBase: false };
  const onBase = await compressed(bytes, dictionary);
  if (onBase.length < bytes.length * clearGain) return { packed: onBase, onBase: true };
  const whole = await compressed(bytes);
  return onBase.length < whole.length * 0.8 ? { packed: onBase, onBase: true } : { packed: whole, onBase: false };
}

/** Returns the bytes of a text, not yet verified. @throws TextDamaged */
export async function unpack(digest: string, packed: Uint8Array, base?: Buffer): Promise<Buffer> {
  try {
    return await decompress(packed, base === undefined ? {} : { dictionary: base });
  } catch (error) {
    throw damaged(digest, error);
  }
}

/**
 * Returns the text of these bytes. Its digest also covers every text with which it was unpacked. @throws TextDamaged
 */
export function verifiedText(digest: string, bytes: Buffer): string {
  const text = fromWtf8(bytes);
  if (referTo(text).digest !== digest) throw damaged(digest);
  return text;
}

export function damaged(digest: string, cause?: unknown): TextDamaged {
  const sentence = `The stored text ${digest} is damaged; stop the service and restore the texts from a backup.`;
  return new TextDamaged(sentence, { cause });
}

function compressed(bytes: Buffer, dictionary?: Buffer): Promise<Buffer> {
  const needed = Math.ceil(Math.log2(bytes.length + (dictionary?.length ?? 0) + 1));
  const windowLog = Math.min(largestWindowLog, Math.max(smallestWindowLog, needed));
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_windowLog]: windowLog };
  return compress(bytes, dictionary === undefined ? { params } : { params, dictionary });
}
