import type { SearchParamsClass } from './search-params.js';
import type { GuestLimits, Host } from './start-guest.js';
import type { AddressReader } from './url.js';

export interface WebParts {
  readonly makeTextEncoder: () => unknown;
  readonly makeTextDecoder: () => unknown;
  readonly makeSearchParams: () => SearchParamsClass;
  readonly makeUrl: (addresses: AddressReader, SearchParams: SearchParamsClass) => unknown;
}

/**
 * Runs inside every fresh context before guest code, as text: it may use nothing from outside its own body.
 * Each global is built when it is first touched, so that a run which needs none of them pays for none.
 */
export function offerWebGlobals(host: Host, limits: GuestLimits, parts: WebParts): void {
  const { defineProperty } = Reflect;
  const plain = { enumerable: false, configurable: true };

  function lazily(name: string, make: () => unknown): void {
    const put = (value: unknown) => defineProperty(globalThis, name, { value, writable: true, ...plain });
    const get = () => {
      const value = make();
      put(value);
      return value;
    };
    defineProperty(globalThis, name, { ...plain, get, set: put });
  }

  /** These copy text out of the isolate, so its length is judged on this side. */
  function bounded(value: unknown): string {
    const text = `${value}`;
    if (text.length > limits.helperText) throw new RangeError('More than 1 MB of text at once.');
    return text;
  }

  function ask(kind: string, ...texts: readonly (string | undefined)[]): string | undefined {
    const answer = host(kind, texts[0], texts[1], texts[2]);
    return typeof answer === 'string' ? answer : undefined;
  }

  const coder = (kind: string) => () => (value: unknown) => {
    const answer = ask(kind, bounded(value));
    if (answer === undefined) throw new TypeError(`The text contains characters that ${kind} cannot read.`);
    return answer;
  };

  const addresses: AddressReader = {
    read: (href, base) => ask('url', bounded(href), base === undefined ? undefined : bounded(base)),
    change: (href, name, value) => ask('change url', bounded(href), name, bounded(value)),
  };

  const makeCrypto = () => ({
    randomUUID: () => host('uuid'),
    getRandomValues<T extends ArrayBufferView>(array: T): T {
      if (!ArrayBuffer.isView(array) || array.byteLength > 65_536)
        throw new TypeError('getRandomValues fills a typed array of at most 65536 bytes.');
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      const random = `${host('random', bytes.length)}`;
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = random.charCodeAt(at);
      return array;
    },
  });

  lazily('TextEncoder', parts.makeTextEncoder);
  lazily('TextDecoder', parts.makeTextDecoder);
  lazily('atob', coder('atob'));
  lazily('btoa', coder('btoa'));
  lazily('crypto', makeCrypto);
  lazily('URLSearchParams', parts.makeSearchParams);
  lazily('URL', () => parts.makeUrl(addresses, parts.makeSearchParams()));
}
