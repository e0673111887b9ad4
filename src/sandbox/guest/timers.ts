import type { GuestLimits, Host, Timers } from './start-guest.js';

/**
 * Runs inside every fresh context before guest code, as text: it may use nothing from outside its own body.
 * The child keeps the time; here are only the functions to call.
 */
export function makeTimers(host: Host, limits: GuestLimits, fail: (thrown: unknown) => void): Timers {
  interface Pending {
    readonly callback: (...args: readonly unknown[]) => unknown;
    readonly args: readonly unknown[];
  }
  const { apply, defineProperty } = Reflect;
  const { get, set, delete: forget } = Map.prototype;
  const [BaseError, BaseTypeError, ToNumber] = [Error, TypeError, Number];
  const pending = new Map<number, Pending>();
  let [lastId, count] = [0, 0];

  function setTimeout(callback: unknown, delay?: unknown, ...args: readonly unknown[]): number {
    if (typeof callback !== 'function') throw new BaseTypeError('setTimeout needs a function.');
    if (count >= limits.timers) throw new BaseError(`At most ${limits.timers} timers may be pending.`);
    const ms = ToNumber(delay);
    lastId += 1;
    count += 1;
    apply(set, pending, [lastId, { callback: callback as Pending['callback'], args }]);
    host('timer', lastId, ms > 1 ? ms : 1);
    return lastId;
  }

  function clearTimeout(id: unknown): void {
    if (!apply(forget, pending, [id])) return;
    count -= 1;
    host('no timer', id);
  }

  function fire(id: number): void {
    const timer = apply(get, pending, [id]) as Pending | undefined;
    if (!timer) return;
    apply(forget, pending, [id]);
    count -= 1;
    try {
      apply(timer.callback, undefined, timer.args as unknown[]);
    } catch (error) {
      fail(error);
    }
  }

  const plain = { writable: true, enumerable: false, configurable: true };
  defineProperty(globalThis, 'setTimeout', { value: setTimeout, ...plain });
  defineProperty(globalThis, 'clearTimeout', { value: clearTimeout, ...plain });
  return { fire };
}
