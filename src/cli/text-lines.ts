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
  // One piece of memory for all of the file: a new one for each read costs more than checking what was read.
  let room = Buffer.allocUnsafe(2 * chunkBytes);
  let held = 0;
  while (held <= longestLine) {
    if (room.length - held < chunkBytes) room = Buffer.concat([room], 2 * room.length);
    const { bytesRead } = await file.read(room, held, chunkBytes);
    if (bytesRead === 0) break;
    const filled = held + bytesRead;
    const end = room.subarray(held, filled).lastIndexOf(lineFeed);
    if (end < 0) {
      held = filled;
      continue;
    }
    yield split(room.subarray(0, held + end));
    room.copyWithin(0, held + end + 1, filled);
    held = filled - (held + end + 1);
  }
  if (held > 0) yield [unfinishedLine];
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
