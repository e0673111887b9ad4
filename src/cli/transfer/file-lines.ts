import type { FileHandle } from 'node:fs/promises';

/** `offset` is in bytes; `number` counts from 1. */
export interface LinePosition {
  readonly offset: number;
  readonly number: number;
}

export interface FileLine extends LinePosition {
  readonly bytes: Buffer;
  /** False for the last line of a truncated file, and for a line that is too long. */
  readonly isWhole: boolean;
}

export const fileBeginning: LinePosition = { offset: 0, number: 1 };

const chunkBytes = 1 << 20;
const lineFeed = 0x0a;
/** Maximum length that is read, in bytes. Lines with the largest mail that can be configured are shorter. */
const longestLine = 256 * chunkBytes;

/** Only a line feed ends a line, because JSON may contain other line separators. */
export async function* linesFrom(file: FileHandle, { offset, number }: LinePosition): AsyncGenerator<FileLine> {
  let pieces: Buffer[] = [];
  let length = 0;
  let position = { offset, number };
  for (let at = offset; length <= longestLine; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    at += bytesRead;
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      const bytes = joined([...pieces, chunk.subarray(from, end)]);
      yield { ...position, bytes, isWhole: true };
      position = { offset: position.offset + bytes.length + 1, number: position.number + 1 };
      from = end + 1;
      pieces = [];
      length = 0;
    }
    pieces.push(chunk.subarray(from));
    length += chunk.length - from;
  }
  if (length > 0) yield { ...position, bytes: joined(pieces), isWhole: false };
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
