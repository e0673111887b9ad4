/**
 * The bytes of a text, either plain or with its escapes decoded. Each byte maps to a character of the text, so that a
 * value found in the bytes can be hidden in the text.
 */
export interface TextView {
  readonly bytes: Uint8Array;
  /**
   * For each byte, and for the end, the index of its character in the text. Undefined if there is one byte per
   * character.
   */
  readonly starts: Int32Array | undefined;
}

export function startOf({ starts }: TextView, byte: number): number {
  return starts ? (starts[byte] as number) : byte;
}

export function plainView(text: string): TextView {
  const length = Buffer.byteLength(text);
  if (length === text.length) return { bytes: Buffer.from(text, 'latin1'), starts: undefined };
  const writer = new ViewWriter(length);
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) as number;
    writer.writePoint(point, at);
    at += point > 0xffff ? 2 : 1;
  }
  return writer.done(text.length);
}

export function byteView(latin: string): TextView {
  return { bytes: Buffer.from(latin, 'latin1'), starts: undefined };
}

export class ViewWriter {
  private readonly bytes: Uint8Array;
  private readonly starts: Int32Array;
  private length = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
    this.starts = new Int32Array(capacity + 1);
  }

  write(byte: number, start: number): void {
    this.bytes[this.length] = byte;
    this.starts[this.length] = start;
    this.length += 1;
  }

  /** A lone surrogate becomes U+FFFD, as everywhere in Node. */
  writePoint(point: number, start: number): void {
    if (point < 0x80) {
      this.write(point, start);
      return;
    }
    const known = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
    if (known < 0x800) this.write(0xc0 | (known >> 6), start);
    else {
      if (known < 0x10000) this.write(0xe0 | (known >> 12), start);
      else {
        this.write(0xf0 | (known >> 18), start);
        this.write(0x80 | ((known >> 12) & 0x3f), start);
      }
      this.write(0x80 | ((known >> 6) & 0x3f), start);
    }
    this.write(0x80 | (known & 0x3f), start);
  }

  done(end: number): TextView {
    this.starts[this.length] = end;
    return { bytes: this.bytes.subarray(0, this.length), starts: this.starts };
  }
}
