/** A frame is its length in four bytes, big-endian, followed by that many bytes of UTF-8. */
export function encodeFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(4 + length);
  frame.writeUInt32BE(length, 0);
  frame.write(text, 4);
  return frame;
}

/**
 * Cuts a stream of bytes into frames. A frame over the limit is refused before any of it is buffered, and so is
 * everything after it.
 */
export class FrameCutter {
  private chunks: Buffer[] = [];
  private buffered = 0;
  private broken = false;

  constructor(private readonly maxBytes: number) {}

  push(chunk: Buffer, take: (text: string) => void): boolean {
    if (this.broken) return false;
    this.chunks.push(chunk);
    this.buffered += chunk.length;
    while (this.buffered >= 4) {
      const length = this.peekLength();
      if (length > this.maxBytes) {
        this.broken = true;
        this.chunks = [];
        return false;
      }
      if (this.buffered < 4 + length) break;
      const bytes = this.joined();
      this.chunks = bytes.length > 4 + length ? [bytes.subarray(4 + length)] : [];
      this.buffered = bytes.length - 4 - length;
      take(bytes.toString('utf8', 4, 4 + length));
    }
    return true;
  }

  private peekLength(): number {
    const [first] = this.chunks;
    return first && first.length >= 4 ? first.readUInt32BE(0) : this.joined().readUInt32BE(0);
  }

  /**
   * Chunks are joined only when the frame is complete; otherwise a large frame would be copied again with every chunk.
   */
  private joined(): Buffer {
    const [first] = this.chunks;
    const bytes = first && this.chunks.length === 1 ? first : Buffer.concat(this.chunks);
    this.chunks = [bytes];
    return bytes;
  }
}
