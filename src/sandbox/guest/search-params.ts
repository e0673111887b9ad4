export type SearchParamsClass = new (init: unknown, changed?: (text: string) => void) => object;

/** Evaluated inside the isolate from its source text, so the body must not use anything from outside. */
export function makeSearchParams(): SearchParamsClass {
  const decode = (text: string): string => {
    try {
      return decodeURIComponent(text.replaceAll('+', ' '));
    } catch {
      return text;
    }
  };
  const encode = (text: string): string =>
    encodeURIComponent(text.toWellFormed())
      .replaceAll('%20', '+')
      .replace(/[!'()~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const read = (text: string): [string, string][] =>
    text
      .replace(/^\?/, '')
      .split('&')
      .filter((part) => part !== '')
      .map((part) => {
        const [key = '', ...rest] = part.split('=');
        return [decode(key), decode(rest.join('='))];
      });
  return class URLSearchParams {
    #pairs: [string, string][];
    readonly #changed: ((text: string) => void) | undefined;
    constructor(init: unknown = '', changed?: (text: string) => void) {
      this.#changed = typeof changed === 'function' ? changed : undefined;
      if (typeof init !== 'object' || init === null) this.#pairs = read(`${init}`);
      else {
        const entries = Symbol.iterator in init ? [...(init as Iterable<[unknown, unknown]>)] : Object.entries(init);
        this.#pairs = entries.map(([key, value]) => [`${key}`, `${value}`]);
      }
    }
    #set(pairs: [string, string][]): void {
      this.#pairs = pairs;
      this.#changed?.(this.toString());
    }
    get size(): number {
      return this.#pairs.length;
    }
    append(key: unknown, value: unknown): void {
      this.#set([...this.#pairs, [`${key}`, `${value}`]]);
    }
    delete(key: unknown): void {
      this.#set(this.#pairs.filter(([name]) => name !== `${key}`));
    }
    get(key: unknown): string | null {
      return this.#pairs.find(([name]) => name === `${key}`)?.[1] ?? null;
    }
    getAll(key: unknown): string[] {
      return this.#pairs.filter(([name]) => name === `${key}`).map(([, value]) => value);
    }
    has(key: unknown): boolean {
      return this.#pairs.some(([name]) => name === `${key}`);
    }
    set(key: unknown, value: unknown): void {
      const first = this.#pairs.findIndex(([name]) => name === `${key}`);
      const pair: [string, string] = [`${key}`, `${value}`];
      const others = this.#pairs.filter(([name], at) => at <= first || name !== `${key}`);
      this.#set(first < 0 ? [...this.#pairs, pair] : others.map((other, at) => (at === first ? pair : other)));
    }
    sort(): void {
      this.#set(this.#pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
    }
    forEach(callback: (value: string, key: string, params: unknown) => void): void {
      for (const [key, value] of this.#pairs) callback(value, key, this);
    }
    *entries(): Generator<[string, string]> {
      for (const [key, value] of this.#pairs) yield [key, value];
    }
    *keys(): Generator<string> {
      for (const [key] of this.#pairs) yield key;
    }
    *values(): Generator<string> {
      for (const [, value] of this.#pairs) yield value;
    }
    [Symbol.iterator](): Generator<[string, string]> {
      return this.entries();
    }
    toString(): string {
      return this.#pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&');
    }
  };
}
