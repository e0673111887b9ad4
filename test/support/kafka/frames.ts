/** Splits a stream of bytes into Kafka's frames: a length in four bytes, followed by that many bytes. */
export class Frames {
  private rest = Buffer.alloc(0);

  constructor(private readonly each: (frame: Buffer) => void) {}

  add(bytes: Buffer): void {
    let rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    while (rest.length >= 4) {
      const length = 4 + rest.readInt32BE(0);
      if (rest.length < length) break;
      // The frame is copied because it is corrected in place.
      this.each(Buffer.from(rest.subarray(0, length)));
      rest = rest.subarray(length);
    }
    this.rest = Buffer.from(rest);
  }
}
