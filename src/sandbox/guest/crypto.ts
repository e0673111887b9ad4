import type { DomExceptionClass } from './dom-exception.js';
import type { Host } from './host.js';

/** Evaluated inside the isolate from its source text, so the body must not use anything from outside. */
export function makeCrypto(host: Host, domException: () => DomExceptionClass): object {
  const quota = 65_536;
  const integers =
    'Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array';
  const kinds = new Set<unknown>(integers.split(' '));
  const typedArrays = Reflect.getPrototypeOf(Int8Array.prototype) as object;
  const kindOf = Reflect.getOwnPropertyDescriptor(typedArrays, Symbol.toStringTag)?.get as () => unknown;

  return {
    randomUUID: () => host('uuid'),
    getRandomValues<T extends ArrayBufferView>(array: T): T {
      if (!ArrayBuffer.isView(array) || !kinds.has(Reflect.apply(kindOf, array, []))) {
        const DomException = domException();
        throw new DomException('getRandomValues fills only typed arrays of integers.', 'TypeMismatchError');
      }
      if (array.byteLength > quota) {
        const DomException = domException();
        throw new DomException(`getRandomValues fills at most ${quota} bytes at once.`, 'QuotaExceededError');
      }
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      const random = `${host('random', bytes.length)}`;
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = random.charCodeAt(at);
      return array;
    },
  };
}
