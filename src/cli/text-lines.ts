import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { unfinishedLine } from '../kernel/audit-chain/export-check.js';

const chunkBytes = 1 << 20;
const lineFeed = 0x0a;
/** More than any export holds. Without a line feed, no more than this is read. */
const longestLine = 256 * chunkBytes;

/**
 * The lines of a text file in batches of about a megabyte, without their line feeds. A line that is not UTF-8 is given
 * as an empty one, and one that has no line feed at its end as `unfinishedLine`.
 */
export async function* textLines(file: FileHandle): AsyncGenerator<readonly string[]> {
  let pieces: Buffer[] = [];
  let length = 0;
  while (length <= longestLine) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    const end = chunk.lastIndexOf(lineFeed);
    if (end < 0) {
      pieces.push(chunk);
      length += chunk.length;
      continue;
    }
    yield split(Buffer.concat([...pieces, chunk.subarray(0, end)]));
    pieces = [chunk.subarray(end + 1)];
    length = chunk.length - end - 1;
  }
  if (length > 0) yield [unfinishedLine];
}

function split(bytes: Buffer): readonly string[] {
  if (isUtf8(bytes)) return bytes.toString('utf8').split('\n');
  const lines: string[] = [];
  for (let from = 0; from <= bytes.length; ) {
    const feed = bytes.indexOf(lineFeed, from);
    const line = bytes.subarray(from, feed < 0 ? bytes.length : feed);
    lines.push(isUtf8(line) ? line.toString('utf8') : '');
    from += line.length + 1;
  }
  return lines;
}
