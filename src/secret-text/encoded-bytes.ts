export type BytesEncoding = 'utf8' | 'hex' | 'base64' | 'base64url';

/**
 * Decodes a text. Returns undefined if the text is not valid in this encoding, whereas Node's own decoder stops
 * silently at the first invalid character. Accepts both alphabets of base64, with or without padding.
 */
export function bytesOf(text: string, encoding: BytesEncoding): Uint8Array | undefined {
  switch (encoding) {
    case 'utf8':
      return Buffer.from(text);
    case 'hex':
      return /^(?:[0-9a-f]{2})*$/i.test(text) ? Buffer.from(text, 'hex') : undefined;
    case 'base64':
    case 'base64url': {
      const letters = /^([A-Za-z0-9+/_-]*)(={0,2})$/.exec(text);
      if (!letters || (letters[1] ?? '').length % 4 === 1) return undefined;
      return letters[2] === '' || text.length % 4 === 0 ? Buffer.from(text, 'base64') : undefined;
    }
  }
}
