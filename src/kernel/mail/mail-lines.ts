const lf = 10;
const cr = 13;

export class MailLines {
  private at = 0;

  constructor(private readonly raw: Uint8Array) {}

  next(): Uint8Array | undefined {
    if (this.at >= this.raw.length) return undefined;
    const found = this.raw.indexOf(lf, this.at);
    const end = found === -1 ? this.raw.length : found;
    const line = this.raw.subarray(this.at, end > this.at && this.raw[end - 1] === cr ? end - 1 : end);
    this.at = end + 1;
    return line;
  }
}

/** Invalid UTF-8 is decoded as one character per byte. */
export function lineText(line: Uint8Array): string {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}
