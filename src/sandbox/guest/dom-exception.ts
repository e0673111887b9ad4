export type DomExceptionClass = new (message?: unknown, name?: unknown) => Error;

/** Evaluated inside the isolate from its source text, so the body must not use anything from outside. */
export function makeDomException(): DomExceptionClass {
  const codes: Readonly<Record<string, number>> = {
    InvalidCharacterError: 5,
    TypeMismatchError: 17,
    AbortError: 20,
    QuotaExceededError: 22,
    TimeoutError: 23,
    DataCloneError: 25,
  };
  return class DOMException extends Error {
    readonly #name: string;
    constructor(message: unknown = '', name: unknown = 'Error') {
      super(`${message}`);
      this.#name = `${name}`;
    }
    override get name(): string {
      return this.#name;
    }
    get code(): number {
      return Object.hasOwn(codes, this.#name) ? (codes[this.#name] as number) : 0;
    }
  };
}
