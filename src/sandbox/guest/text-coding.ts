/** Evaluated inside the isolate from its source text, so the body must not use anything from outside. */
export function makeTextEncoder(): unknown {
  return class TextEncoder {
    get encoding(): string {
      return 'utf-8';
    }
    encode(value: unknown = ''): Uint8Array {
      const text = `${value}`.toWellFormed();
      const bytes = new Uint8Array(text.length * 3);
      let end = 0;
      for (let at = 0; at < text.length; at += 1) {
        const point = text.codePointAt(at) as number;
        if (point < 0x80) bytes[end++] = point;
        else if (point < 0x800) {
          bytes[end++] = 0xc0 | (point >> 6);
          bytes[end++] = 0x80 | (point & 63);
        } else {
          if (point < 0x10000) bytes[end++] = 0xe0 | (point >> 12);
          else {
            bytes[end++] = 0xf0 | (point >> 18);
            bytes[end++] = 0x80 | ((point >> 12) & 63);
            at += 1;
          }
          bytes[end++] = 0x80 | ((point >> 6) & 63);
          bytes[end++] = 0x80 | (point & 63);
        }
      }
      return bytes.slice(0, end);
    }
  };
}

/** Evaluated inside the isolate from its source text, so the body must not use anything from outside. */
export function makeTextDecoder(): unknown {
  return class TextDecoder {
    readonly #fatal: boolean;
    constructor(label: unknown = 'utf-8', options?: { readonly fatal?: boolean }) {
      const known = `${label}`.toLowerCase();
      if (known !== 'utf-8' && known !== 'utf8') throw new RangeError('TextDecoder supports utf-8 only.');
      this.#fatal = Boolean(options?.fatal);
    }
    get encoding(): string {
      return 'utf-8';
    }
    decode(input: ArrayBuffer | ArrayBufferView = new ArrayBuffer(0)): string {
      const view = ArrayBuffer.isView(input) ? input : new Uint8Array(input);
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      let escaped = '';
      for (let at = 0; at < bytes.length; )
        at = this.#next(bytes, at, (point) => {
          escaped += String.fromCodePoint(point);
        });
      return escaped.charCodeAt(0) === 0xfeff ? escaped.slice(1) : escaped;
    }
    /**
     * Passes one character to `take` and returns the start of the next one. The valid first part of a malformed
     * character, or at least one byte, is replaced by one U+FFFD. If `fatal` is set, a malformed character throws
     * instead.
     */
    #next(bytes: Uint8Array, at: number, take: (point: number) => void): number {
      const lead = bytes[at] as number;
      const more = lead < 0x80 ? 0 : lead < 0xc2 ? -1 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : -1;
      let point = more <= 0 ? lead : lead & (0x3f >> more);
      let end = at + 1;
      for (let left = more; left > 0; left -= 1, end += 1) {
        const byte = bytes[end] ?? 0;
        const low = end > at + 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
        const high = end > at + 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
        if (byte < low || byte > high) return this.#broken(end, take);
        point = (point << 6) | (byte & 63);
      }
      if (more < 0) return this.#broken(end, take);
      take(point);
      return end;
    }
    #broken(end: number, take: (point: number) => void): number {
      if (this.#fatal) throw new TypeError('The bytes are not valid UTF-8.');
      take(0xfffd);
      return end;
    }
  };
}
