import type { Readable } from 'node:stream';

export interface Frame<Head> {
  readonly head: Head;
  readonly body: Uint8Array;
}

const nothing = new Uint8Array(0);

/**
 * A frame begins with two big-endian 32-bit numbers: the length of everything after the first number, and the length of
 * the head. The head and the body follow.
 */
export function encodeBytes(head: unknown, body: Uint8Array = nothing): readonly Uint8Array[] {
  const text = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.allocUnsafe(8);
  lengths.writeUInt32BE(4 + text.length + body.length, 0);
  lengths.writeUInt32BE(text.length, 4);
  return body.length === 0 ? [lengths, text] : [lengths, text, body];
}

/**
 * Reads only as fast as the caller consumes, so a slow caller slows the writer down (backpressure).
 * @throws Error if a frame exceeds `mostBytes` or is malformed
 */
export async function* framesOf<Head>(stream: Readable, mostBytes: number): AsyncGenerator<Frame<Head>> {
  let pieces: Buffer[] = [];
  let buffered = 0;
  let needed = 4;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    pieces.push(piece);
    buffered += piece.length;
    while (buffered >= needed) {
      // If the pieces were joined earlier, a large frame would be copied again for every piece.
      const bytes = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
      const end = 4 + bytes.readUInt32BE(0);
      if (end > mostBytes) throw new Error('A frame is longer than the limit.');
      pieces = [bytes];
      if (buffered < end) {
        needed = end;
        continue;
      }
      yield frameIn<Head>(bytes.subarray(4, end));
      pieces = buffered > end ? [bytes.subarray(end)] : [];
      buffered -= end;
      needed = 4;
    }
  }
}

function frameIn<Head>(bytes: Buffer): Frame<Head> {
  const headEnd = 4 + bytes.readUInt32BE(0);
  return { head: JSON.parse(bytes.toString('utf8', 4, headEnd)) as Head, body: bytes.subarray(headEnd) };
}
