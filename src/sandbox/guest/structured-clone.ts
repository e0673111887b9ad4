import type { DomExceptionClass } from './dom-exception.js';

/**
 * Evaluated inside the isolate from its source text, so the body must not use anything from outside. The function works
 * entirely within the isolate, so that the isolate's limits of time, memory and stack apply.
 */
export function makeStructuredClone(DomException: DomExceptionClass): (...args: readonly unknown[]) => unknown {
  type Copy = (value: unknown) => unknown;
  const { apply, defineProperty, getPrototypeOf, getOwnPropertyDescriptor } = Reflect;
  const isAbove = Object.prototype.isPrototypeOf;
  const getter = (prototype: object, name: string | symbol) =>
    getOwnPropertyDescriptor(prototype, name)?.get as () => unknown;
  const typedArrays = getPrototypeOf(Int8Array.prototype) as object;
  const kindOfView = getter(typedArrays, Symbol.toStringTag);
  const [mapSize, setSize] = [getter(Map.prototype, 'size'), getter(Set.prototype, 'size')];
  const [source, flags] = [getter(RegExp.prototype, 'source'), getter(RegExp.prototype, 'flags')];
  const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');
  const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const no = (what: string): never => {
    throw new DomException(`${what} could not be cloned.`, 'DataCloneError');
  };

  /**
   * Whether the value is really an instance of a built-in class, not just an object with its prototype. `method` is a
   * method of the class that throws for all other values.
   */
  function is(kind: { readonly prototype: object }, method: () => unknown, value: object): boolean {
    if (!apply(isAbove, kind.prototype, [value])) return false;
    try {
      apply(method, value, []);
      return true;
    } catch {
      return false;
    }
  }

  function bytesOf(buffer: ArrayBuffer): ArrayBuffer {
    const copy = new Uint8Array(buffer.byteLength);
    copy.set(new Uint8Array(buffer));
    return copy.buffer;
  }

  function viewOf(view: ArrayBufferView, copy: Copy): unknown {
    const kind = apply(kindOfView, view, []) as 'Uint8Array' | undefined;
    const buffer = copy(view.buffer) as ArrayBuffer;
    if (kind === undefined) return new DataView(buffer, view.byteOffset, view.byteLength);
    return new globalThis[kind](buffer, view.byteOffset, (view as Uint8Array).length);
  }

  function errorOf(error: Error, copy: Copy): Error {
    const name = Object.hasOwn(errors, error.name) ? (error.name as keyof typeof errors) : 'Error';
    const made = new errors[name]();
    const put = (key: string, value: unknown) =>
      defineProperty(made, key, { value, writable: true, enumerable: false, configurable: true });
    if (Object.hasOwn(error, 'message')) put('message', `${error.message}`);
    put('stack', `${error.stack}`);
    if (Object.hasOwn(error, 'cause')) put('cause', copy(error.cause));
    return made;
  }

  /** @throws DOMException `DataCloneError` for built-in objects that cannot be cloned */
  function builtIn(value: object, copy: Copy): object | undefined {
    if (is(Date, Date.prototype.getTime, value)) return new Date(apply(Date.prototype.getTime, value, []));
    if (is(RegExp, source, value))
      return new RegExp(apply(source, value, []) as string, apply(flags, value, []) as string);
    if (is(ArrayBuffer, bufferLength, value)) return bytesOf(value as ArrayBuffer);
    if (ArrayBuffer.isView(value)) return viewOf(value, copy) as object;
    if (value instanceof DomException) return new DomException(value.message, value.name);
    for (const kind of [Boolean, Number, String, BigInt]) {
      const primitive = kind.prototype.valueOf as () => unknown;
      if (is(kind, primitive, value)) return Object(apply(primitive, value, []));
    }
    for (const kind of [Symbol, Promise, WeakMap, WeakSet]) if (value instanceof kind) no(`A ${kind.name}`);
    return undefined;
  }

  function makeCopy(): Copy {
    const seen = new Map<object, object>();
    const copy: Copy = (value) => {
      if (typeof value === 'symbol') return no('A symbol');
      if (typeof value === 'function') return no(`The function ${value.name || '(anonymous)'}`);
      if (typeof value !== 'object' || value === null) return value;
      const known = seen.get(value);
      if (known !== undefined) return known;
      return filled(value);
    };
    const remember = <T extends object>(value: object, made: T): T => {
      seen.set(value, made);
      return made;
    };

    /** A container is registered before its contents are copied, so that cycles work. */
    function filled(value: object): object {
      if (Array.isArray(value)) return members(value, remember(value, new Array(value.length)));
      const prototype = getPrototypeOf(value);
      if (prototype === Object.prototype || prototype === null) return members(value, remember(value, {}));
      if (is(Map, mapSize, value)) {
        const made = remember(value, new Map());
        for (const [key, one] of [...(value as Map<unknown, unknown>)]) made.set(copy(key), copy(one));
        return made;
      }
      if (is(Set, setSize, value)) {
        const made = remember(value, new Set());
        for (const one of [...(value as Set<unknown>)]) made.add(copy(one));
        return made;
      }
      if (value instanceof Error && !(value instanceof DomException)) return remember(value, errorOf(value, copy));
      const made = builtIn(value, copy);
      return made === undefined ? members(value, remember(value, {})) : remember(value, made);
    }

    function members(value: object, made: object): object {
      for (const key of Object.keys(value)) {
        const one = copy((value as Record<string, unknown>)[key]);
        defineProperty(made, key, { value: one, writable: true, enumerable: true, configurable: true });
      }
      return made;
    }
    return copy;
  }

  return function structuredClone(...args: readonly unknown[]): unknown {
    const [value, options] = args;
    if (args.length === 0) throw new TypeError('structuredClone needs a value.');
    const { transfer } = (options ?? {}) as { readonly transfer?: Iterable<unknown> };
    if (transfer !== undefined && [...transfer].length > 0)
      throw new DomException('Nothing can be transferred here: leave transfer out.', 'DataCloneError');
    return makeCopy()(value);
  };
}
