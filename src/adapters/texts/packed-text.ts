import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { referTo } from '../../kernel/text/text.js';
import { fromWtf8, wtf8 } from '../../kernel/text/wtf8.js';
import { TextDamaged } from '../../ports/texts.port.js';

// These functions run in libuv's threads, so a text of megabytes does not block the main thread.
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Lowest compression level at which zstd finds a megabyte of the text in a `base` of several megabytes. */
const level = 6;
const smallestWindowLog = 10;
const largestWindowLog = 24;
/**
 * If compression with a base makes the text smaller than this fraction of its size, compression without the base is not
 * tried.
 */
const clearGain = 1 / 16;

export interface Packed {
  readonly packed: Uint8Array;
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

/**
 * `verifiedText` must still verify the bytes.
 * @throws TextDamaged
 */
export async function unpack(digest: string, packed: Uint8Array, base?: Buffer): Promise<Buffer> {
  try {
    return await decompress(packed, base === undefined ? {} : { dictionary: base });
  } catch (error) {
    throw damaged(digest, error);
  }
}

/**
 * If the digest is right, all bases with which the text was unpacked were right too.
 * @throws TextDamaged
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
