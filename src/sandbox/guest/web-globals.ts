import type { Aborting } from './aborting.js';
import type { DomExceptionClass } from './dom-exception.js';
import type { GuestLimits, Host, Timers } from './host.js';
import type { SearchParamsClass } from './search-params.js';
import type { AddressReader } from './url.js';

export interface WebParts {
  readonly makeTextEncoder: () => unknown;
  readonly makeTextDecoder: () => unknown;
  readonly makeSearchParams: () => SearchParamsClass;
  readonly makeDomException: () => DomExceptionClass;
  readonly makeStructuredClone: (DomException: DomExceptionClass) => unknown;
  readonly makeCrypto: (host: Host, domException: () => DomExceptionClass) => object;
  readonly makeAborting: (
    later: Timers['later'],
    fail: (thrown: unknown) => void,
    DomException: DomExceptionClass,
  ) => Aborting;
  readonly makeUrl: (addresses: AddressReader, SearchParams: SearchParamsClass) => unknown;
}

export interface WebGlobals {
  readonly follow: Aborting['follow'];
}

/**
 * Evaluated inside the isolate from its source text, so the body must not use anything from outside. Each global is
 * built on first use, so that runs that do not use it do not pay for it.
 */
export function offerWebGlobals(
  host: Host,
  limits: GuestLimits,
  parts: WebParts,
  timers: Timers,
  fail: (thrown: unknown) => void,
): WebGlobals {
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

  /** The text will be copied out of the isolate, so its length is checked before that. */
  function bounded(value: unknown): string {
    const text = `${value}`;
    if (text.length > limits.helperText) throw new RangeError('The text is larger than 1 MB.');
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

  function once<T>(make: () => T): () => T {
    let made: { readonly value: T } | undefined;
    return () => {
      made ??= { value: make() };
      return made.value;
    };
  }
  const domException = once(parts.makeDomException);
  const aborting = once(() => parts.makeAborting(timers.later, fail, domException()));

  /** Times count from the start of this run, so they reveal nothing about its process. */
  const makePerformance = () => {
    const timeOrigin = Number(host('time origin'));
    return { now: () => host('now'), timeOrigin, toJSON: () => ({ timeOrigin }) };
  };

  lazily('TextEncoder', parts.makeTextEncoder);
  lazily('TextDecoder', parts.makeTextDecoder);
  lazily('atob', coder('atob'));
  lazily('btoa', coder('btoa'));
  lazily('crypto', () => parts.makeCrypto(host, domException));
  lazily('performance', makePerformance);
  lazily('DOMException', domException);
  lazily('structuredClone', () => parts.makeStructuredClone(domException()));
  lazily('AbortController', () => aborting().AbortController);
  lazily('AbortSignal', () => aborting().AbortSignal);
  lazily('URLSearchParams', parts.makeSearchParams);
  lazily('URL', () => parts.makeUrl(addresses, parts.makeSearchParams()));
  return { follow: (signal, aborted) => aborting().follow(signal, aborted) };
}
