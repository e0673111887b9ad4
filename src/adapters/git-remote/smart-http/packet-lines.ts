import { GitRemoteUnavailable } from '../../../ports/network/git-remote.port.js';

/** A line of git's protocol begins with its length in four hexadecimal digits. */
export function packetLine(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

export const flush = Buffer.from('0000');

/**
 * Yields undefined for a flush packet.
 * @throws GitRemoteUnavailable, and errors of reading
 */
export async function* packetLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer | undefined> {
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    rest = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    let at = 0;
    while (rest.length - at >= 4) {
      const length = lengthAt(rest, at);
      if (length === 0) {
        yield undefined;
        at += 4;
      } else if (rest.length - at >= length) {
        yield rest.subarray(at + 4, at + length);
        at += length;
      } else break;
    }
    rest = rest.subarray(at);
  }
  if (rest.length > 0) throw notGit();
}

function lengthAt(bytes: Buffer, at: number): number {
  const text = bytes.toString('latin1', at, at + 4);
  const length = /^[0-9a-f]{4}$/i.test(text) ? Number.parseInt(text, 16) : -1;
  if (length !== 0 && length < 4) throw notGit();
  return length;
}

export const notGit = () => new GitRemoteUnavailable('The remote does not respond like a git server.');
