import type { GuestLimits, Host, Timers } from './host.js';

/**
 * Evaluated inside the isolate from its source text, so the body must not use anything from outside. The child process
 * measures the time.
 */
export function makeTimers(host: Host, limits: GuestLimits, fail: (thrown: unknown) => void): Timers {
  type Callback = (...args: readonly unknown[]) => unknown;
  interface Pending {
    readonly callback: Callback;
    readonly args: readonly unknown[];
    readonly every: number | undefined;
  }
  const { apply, defineProperty } = Reflect;
  const { get, set, has, delete: forget } = Map.prototype;
  const [BaseError, BaseTypeError, ToNumber] = [Error, TypeError, Number];
  const pending = new Map<number, Pending>();
  let [lastId, count] = [0, 0];

  function add(callback: Callback, ms: number, args: readonly unknown[], every?: number): number {
    if (count >= limits.timers) throw new BaseError(`At most ${limits.timers} timers may be pending.`);
    lastId += 1;
    count += 1;
    apply(set, pending, [lastId, { callback, args, every }]);
    host('timer', lastId, ms);
    return lastId;
  }

  function setTimeout(callback: unknown, delay?: unknown, ...args: readonly unknown[]): number {
    if (typeof callback !== 'function') throw new BaseTypeError('setTimeout needs a function.');
    const ms = ToNumber(delay);
    return add(callback as Callback, ms > 1 ? ms : 1, args);
  }

  function setInterval(callback: unknown, delay?: unknown, ...args: readonly unknown[]): number {
    if (typeof callback !== 'function') throw new BaseTypeError('setInterval needs a function.');
    const ms = ToNumber(delay);
    const every = ms > limits.shortestInterval ? ms : limits.shortestInterval;
    return add(callback as Callback, every, args, every);
  }

  function clear(id: unknown): void {
    if (!apply(forget, pending, [id])) return;
    count -= 1;
    host('no timer', id);
  }

  function fire(id: number): void {
    const timer = apply(get, pending, [id]) as Pending | undefined;
    if (!timer) return;
    const { callback, args, every } = timer;
    if (every === undefined) {
      apply(forget, pending, [id]);
      count -= 1;
    }
    try {
      apply(callback, undefined, args as unknown[]);
    } catch (error) {
      fail(error);
    }
    // A repeating timer is restarted after the callback, so that callbacks slower than the interval do not pile up.
    if (every !== undefined && apply(has, pending, [id])) host('timer', id, every);
  }

  const plain = { writable: true, enumerable: false, configurable: true };
  const offer = (name: string, value: unknown) => defineProperty(globalThis, name, { value, ...plain });
  offer('setTimeout', setTimeout);
  offer('setInterval', setInterval);
  offer('clearTimeout', function clearTimeout(id: unknown) {
    clear(id);
  });
  offer('clearInterval', function clearInterval(id: unknown) {
    clear(id);
  });
  return { fire, later: (callback, ms) => add(callback, ms > 1 ? ms : 1, []) };
}
