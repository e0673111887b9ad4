// UTF-8 that retains lone surrogates (WTF-8), which plain UTF-8 would replace. A text without lone surrogates has the
// same bytes in both, so its digest can be checked with any tool.

const loneSurrogate = /(\p{Surrogate})/u;
/**
 * First byte of an encoded surrogate. In valid UTF-8, the byte after it is at most 0x9F, so a higher byte there shows a
 * lone surrogate.
 */
const mark = 0xed;
const firstOfSurrogates = 0xa0;
const surrogateBytes = 3;

export function wtf8(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  // Splitting by a capturing group retains the matches, so every second part is a lone surrogate.
  const parts = text.split(loneSurrogate);
  return Buffer.concat(parts.map((part, at) => (at % 2 === 0 ? Buffer.from(part, 'utf8') : surrogate(part))));
}

export function fromWtf8(bytes: Buffer): string {
  const parts: string[] = [];
  let start = 0;
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) {
    const [, second = 0, third = 0] = bytes.subarray(at, at + surrogateBytes);
    if (second < firstOfSurrogates) continue;
    parts.push(
      bytes.toString('utf8', start, at),
      String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f)),
    );
    start = at + surrogateBytes;
  }
  return parts.length === 0 ? bytes.toString('utf8') : parts.join('') + bytes.toString('utf8', start);
}

function surrogate(unit: string): Buffer {
  const code = unit.charCodeAt(0);
  return Buffer.of(mark, 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
}
