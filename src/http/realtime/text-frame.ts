const finalText = 0x81;

/** Returns one unmasked WebSocket frame (RFC 6455, 5.2). */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const header = headerOf(length);
  const frame = Buffer.allocUnsafe(header.length + length);
  frame.set(header);
  frame.write(text, header.length);
  return frame;
}

function headerOf(length: number): Uint8Array {
  if (length < 126) return Uint8Array.of(finalText, length);
  if (length < 65_536) return Uint8Array.of(finalText, 126, length >> 8, length & 0xff);
  const header = Buffer.alloc(10);
  header[0] = finalText;
  header[1] = 127;
  header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}
