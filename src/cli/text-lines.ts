import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { unfinishedLine } from '../kernel/audit-chain/export-check.js';

const chunkBytes = 1 << 20;
const lineFeed = 0x0a;
/** Maximum length that is read, in bytes. Lines of exports are shorter. */
const longestLine = 256 * chunkBytes;

/**
 * Yields batches of about a megabyte. A line that is not valid UTF-8 becomes an empty one. A last line without a line
 * feed becomes `unfinishedLine`. Reading stops at a line that is too long, which becomes `unfinishedLine` too.
 */
export async function* textLines(file: FileHandle): AsyncGenerator<readonly string[]> {
  // The buffer is reused, because allocating one for each read would take longer than checking its lines.
  let buffer = Buffer.allocUnsafe(2 * chunkBytes);
  let unread = 0;
  while (unread <= longestLine) {
    if (buffer.length - unread < chunkBytes) buffer = Buffer.concat([buffer], 2 * buffer.length);
    const { bytesRead } = await file.read(buffer, unread, chunkBytes);
    if (bytesRead === 0) break;
    const filled = unread + bytesRead;
    const end = buffer.subarray(unread, filled).lastIndexOf(lineFeed);
    if (end < 0) {
      unread = filled;
      continue;
    }
    yield split(buffer.subarray(0, unread + end));
    buffer.copyWithin(0, unread + end + 1, filled);
    unread = filled - (unread + end + 1);
  }
  if (unread > 0) yield [unfinishedLine];
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
