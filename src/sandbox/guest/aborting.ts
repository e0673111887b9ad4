import type { DomExceptionClass } from './dom-exception.js';

export interface Aborting {
  readonly AbortController: unknown;
  readonly AbortSignal: unknown;
  /**
   * Calls `aborted` once: when the signal is aborted, or immediately if it already is.
   * @throws TypeError if the value is not a signal
   */
  readonly follow: (signal: unknown, aborted: (reason: unknown) => void) => void;
}

/**
 * Evaluated inside the isolate from its source text, so the body must not use anything from outside. `later` starts a
 * timer, which counts towards the run's limit of timers. `fail` ends the run with the error that a listener threw.
 */
export function makeAborting(
  later: (callback: () => void, ms: number) => void,
  fail: (thrown: unknown) => void,
  DomException: DomExceptionClass,
): Aborting {
  type Listener = ((event: object) => unknown) | { readonly handleEvent: (event: object) => unknown };
  interface Heard {
    readonly listener: Listener;
    readonly once: boolean;
  }
  const ours = Symbol('ours');
  const [longest, BaseTypeError, BaseRangeError] = [Number.MAX_SAFE_INTEGER, TypeError, RangeError];
  let make: () => AbortSignal;
  let abort: (signal: AbortSignal, reason: unknown) => void;
  let follow: Aborting['follow'];

  class AbortSignal {
    #aborted = false;
    #reason: unknown;
    #followers: ((reason: unknown) => void)[] = [];
    #listeners: Heard[] = [];
    onabort: unknown = null;

    static {
      make = () => new AbortSignal(ours);
      abort = (signal, reason) => signal.#abort(reason);
      follow = (signal, aborted) => {
        if (typeof signal !== 'object' || signal === null || !(#aborted in signal))
          throw new BaseTypeError('That is not an AbortSignal.');
        if (signal.#aborted) aborted(signal.#reason);
        else signal.#followers.push(aborted);
      };
    }

    constructor(key: unknown) {
      if (key !== ours) throw new BaseTypeError('Illegal constructor: use new AbortController().signal.');
    }

    static abort(reason?: unknown): AbortSignal {
      const signal = make();
      signal.#abort(reason);
      return signal;
    }

    static timeout(ms: unknown): AbortSignal {
      const delay = Number(ms);
      if (!(delay >= 0 && delay <= longest)) throw new BaseRangeError('AbortSignal.timeout takes milliseconds.');
      const signal = make();
      later(() => signal.#abort(new DomException('The operation was aborted due to timeout', 'TimeoutError')), delay);
      return signal;
    }

    static any(signals: Iterable<unknown>): AbortSignal {
      const signal = make();
      for (const one of signals) follow(one, (reason) => signal.#abort(reason));
      return signal;
    }

    get aborted(): boolean {
      return this.#aborted;
    }

    get reason(): unknown {
      return this.#reason;
    }

    throwIfAborted(): void {
      if (this.#aborted) throw this.#reason;
    }

    addEventListener(
      type: unknown,
      listener: Listener | null,
      options?: boolean | { once?: unknown; signal?: unknown },
    ) {
      if (`${type}` !== 'abort' || listener === null || listener === undefined || this.#aborted) return;
      if (typeof listener !== 'function' && typeof listener !== 'object')
        throw new BaseTypeError('A listener must be a function or have a handleEvent method.');
      if (this.#listeners.some((heard) => heard.listener === listener)) return;
      const { once, signal } = typeof options === 'object' && options !== null ? options : {};
      if (signal !== undefined) follow(signal, () => this.removeEventListener(type, listener));
      const isOver = typeof signal === 'object' && (signal as AbortSignal).aborted;
      if (!isOver) this.#listeners.push({ listener, once: Boolean(once) });
    }

    removeEventListener(type: unknown, listener: unknown): void {
      if (`${type}` === 'abort') this.#listeners = this.#listeners.filter((heard) => heard.listener !== listener);
    }

    #abort(reason: unknown): void {
      if (this.#aborted) return;
      this.#aborted = true;
      this.#reason = reason === undefined ? new DomException('This operation was aborted', 'AbortError') : reason;
      const [followers, listeners] = [this.#followers, this.#listeners];
      this.#followers = [];
      this.#listeners = [];
      for (const follower of followers) follower(this.#reason);
      const event = { type: 'abort', target: this, currentTarget: this };
      if (typeof this.onabort === 'function') this.#tell(this.onabort as Listener, event);
      for (const { listener } of listeners) this.#tell(listener, event);
    }

    /**
     * An exception in one listener must not reach the other listeners or the code that aborts. The exception ends the
     * run, as an exception in a timer's callback does.
     */
    #tell(listener: Listener, event: object): void {
      try {
        if (typeof listener === 'function') listener.call(this, event);
        else listener.handleEvent(event);
      } catch (error) {
        fail(error);
      }
    }

    get [Symbol.toStringTag](): string {
      return 'AbortSignal';
    }
  }

  class AbortController {
    readonly #signal = make();
    get signal(): AbortSignal {
      return this.#signal;
    }
    abort(reason?: unknown): void {
      abort(this.#signal, reason);
    }
    get [Symbol.toStringTag](): string {
      return 'AbortController';
    }
  }

  return { AbortController, AbortSignal, follow: (signal, aborted) => follow(signal, aborted) };
}
