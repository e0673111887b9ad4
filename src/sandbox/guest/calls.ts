import type { GuestCalls, GuestLimits, Host } from './host.js';

/**
 * Evaluated inside the isolate from its source text, so the body must not use anything from outside. Calls beyond the
 * limit of concurrent calls wait in the guest's own memory.
 */
export function makeCalls(host: Host, limits: GuestLimits): GuestCalls {
  interface Call {
    readonly id: number;
    readonly name: string;
    readonly text: string;
    readonly error: Error;
    readonly resolve: (value: unknown) => void;
    readonly reject: (error: Error) => void;
    next: Call | undefined;
  }
  const { apply, defineProperty } = Reflect;
  const { parse, stringify } = JSON;
  const [BasePromise, BaseError] = [Promise, Error];
  const { get, set, delete: forget } = Map.prototype;
  const TOO_LARGE = stringify({
    message: 'The arguments are more than 1 MB; send less.',
    code: 'too-large',
    status: 413,
  });
  const outstanding = new Map<number, Call>();
  let [lastId, atOnce, counted] = [0, 0, 0];
  let first: Call | undefined;
  let last: Call | undefined;

  function put(error: Error, key: string, value: unknown): void {
    defineProperty(error, key, {
      value,
      writable: true,
      enumerable: key !== 'message',
      configurable: true,
    });
  }

  function send(call: Call): void {
    atOnce += 1;
    apply(set, outstanding, [call.id, call]);
    if (host('call', call.id, call.name, call.text) !== false) return;
    answered(call.id, false, TOO_LARGE);
  }

  /**
   * Serialises each argument on its own and adds the brackets here, so prototypes that guest code has changed cannot
   * affect the array.
   */
  function textOf(args: readonly unknown[], before: string | undefined): string {
    let text = before === undefined ? '' : stringify(before);
    for (let at = 0; at < args.length; at += 1) {
      text += `${text === '' ? '' : ','}${stringify(args[at]) ?? 'null'}`;
      if (text.length > limits.callArguments) throw new BaseError('The arguments are more than 1 MB; send less.');
    }
    return `[${text}]`;
  }

  function member(name: string, before?: string) {
    const counts = name !== 'fetch';
    return (...args: readonly unknown[]): unknown =>
      new BasePromise((resolve, reject) => {
        if (counts) counted += 1;
        // Created here, so that its stack contains the line of the call. The message is filled in later.
        const error = new BaseError('');
        const text = textOf(args, before);
        lastId += 1;
        const call: Call = { id: lastId, name, text, error, resolve, reject, next: undefined };
        if (atOnce < limits.callsAtOnce) return send(call);
        if (last) last.next = call;
        else first = call;
        last = call;
      });
  }

  function answered(id: number, ok: boolean, text: string): void {
    const call = apply(get, outstanding, [id]) as Call | undefined;
    if (!call) return;
    apply(forget, outstanding, [id]);
    atOnce -= 1;
    if (first) {
      const next = first;
      first = next.next;
      if (!first) last = undefined;
      send(next);
    }
    const value = parse(text);
    if (ok) {
      call.resolve(value);
      return;
    }
    put(call.error, 'message', value.message);
    put(call.error, 'code', value.code);
    put(call.error, 'status', value.status);
    if (value.fields) put(call.error, 'fields', value.fields);
    if (value.decisionId) put(call.error, 'decisionId', value.decisionId);
    call.reject(call.error);
  }

  return { member, answered, used: () => counted };
}
