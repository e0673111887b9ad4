import type { Aborting } from './aborting.js';

interface Answered {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly url: string;
  readonly redirected: boolean;
  readonly text?: string;
  readonly base64?: string;
}

/**
 * Evaluated inside the isolate from its source text, so the body must not use anything from outside. A response arrives
 * together with its body. If a signal is aborted, the guest stops waiting, but the request is not cancelled.
 */
export function makeFetch(
  member: (...args: readonly unknown[]) => unknown,
  follow: Aborting['follow'],
): (url: unknown, init?: unknown) => unknown {
  const { apply } = Reflect;
  const { parse } = JSON;
  const { then } = Promise.prototype;
  const [BaseBytes, BaseError, BasePromise] = [Uint8Array, TypeError, Promise];
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

  function toBase64(bytes: Uint8Array): string {
    let text = '';
    for (let at = 0; at < bytes.length; at += 3) {
      const three = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
      const left = bytes.length - at;
      text += alphabet.charAt(three >> 18) + alphabet.charAt((three >> 12) & 63);
      text += left > 1 ? alphabet.charAt((three >> 6) & 63) : '=';
      text += left > 2 ? alphabet.charAt(three & 63) : '=';
    }
    return text;
  }

  function fromBase64(text: string): Uint8Array {
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
    const bytes = new BaseBytes((text.length / 4) * 3 - padding);
    for (let [at, to] = [0, 0]; at < text.length; at += 4, to += 3) {
      const code = (offset: number) => Math.max(0, alphabet.indexOf(text.charAt(at + offset)));
      const three = (code(0) << 18) | (code(1) << 12) | (code(2) << 6) | code(3);
      bytes[to] = three >> 16;
      if (to + 1 < bytes.length) bytes[to + 1] = (three >> 8) & 255;
      if (to + 2 < bytes.length) bytes[to + 2] = three & 255;
    }
    return bytes;
  }

  function carried(body: unknown): unknown {
    if (body instanceof BaseBytes) return { $bytes: toBase64(body) };
    if (body instanceof ArrayBuffer) return { $bytes: toBase64(new BaseBytes(body)) };
    if (typeof body === 'object' && body !== null && body instanceof URLSearchParams) return { $form: `${body}` };
    return body;
  }

  function headersOf(headers: unknown): unknown {
    if (!Array.isArray(headers)) return headers;
    return Object.fromEntries(headers as readonly (readonly [string, unknown])[]);
  }

  function responseOf(answer: Answered) {
    const bytes = (): Uint8Array =>
      answer.base64 === undefined ? new TextEncoder().encode(answer.text ?? '') : fromBase64(answer.base64);
    const text = (): string => answer.text ?? new TextDecoder().decode(bytes());
    const named = (name: unknown) => answer.headers.filter(([known]) => known === `${name}`.toLowerCase());
    const headers = {
      get: (name: unknown) =>
        named(name)
          .map(([, value]) => value)
          .join(', ') || (named(name).length > 0 ? '' : null),
      has: (name: unknown) => named(name).length > 0,
      entries: () => answer.headers.map(([name, value]) => [name, value]).values(),
      forEach: (each: (value: string, name: string) => void) => {
        for (const [name, value] of answer.headers) each(value, name);
      },
    };
    return {
      ok: answer.status >= 200 && answer.status < 300,
      status: answer.status,
      url: answer.url,
      redirected: answer.redirected,
      headers,
      text: async () => text(),
      json: async () => parse(text()),
      bytes: async () => bytes(),
      arrayBuffer: async () => bytes().buffer,
    };
  }

  /** Rejects with the signal's reason once the signal is aborted. If it is already aborted, `ask` is not called. */
  function until(signal: unknown, ask: () => unknown): unknown {
    if (signal === undefined || signal === null) return ask();
    return new BasePromise((resolve, reject) => {
      let isAborted = false;
      follow(signal, (reason) => {
        isAborted = true;
        reject(reason);
      });
      // `resolve(promise)` is not used, because an abort could not reject after it.
      if (!isAborted) apply(then, ask(), [resolve, reject]);
    });
  }

  return async (url, init = {}) => {
    if (typeof init !== 'object' || init === null)
      throw new BaseError('The second argument of ctx.fetch must be an object.');
    const { body, headers, signal, ...rest } = init as Readonly<Record<string, unknown>>;
    const request = { ...rest, url: `${url}`, headers: headersOf(headers), body: carried(body) };
    return responseOf((await until(signal, () => member(request))) as Answered);
  };
}
