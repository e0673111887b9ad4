import type { SearchParamsClass } from './search-params.js';

export interface AddressReader {
  read(href: unknown, base?: unknown): string | undefined;
  change(href: string, name: string, value: unknown): string | undefined;
}

/** Evaluated inside the isolate from its source text, so the body must not use anything from outside. */
export function makeUrl(addresses: AddressReader, SearchParams: SearchParamsClass): unknown {
  const names = 'href protocol username password host hostname port pathname search hash origin'.split(' ');

  class URL {
    #parts: Record<string, string>;
    #searchParams: object | undefined;

    static {
      for (const name of names)
        Object.defineProperty(URL.prototype, name, {
          enumerable: true,
          configurable: true,
          get(this: URL) {
            return this.#parts[name];
          },
          set(this: URL, value: unknown) {
            if (name === 'origin') return;
            this.#change(name, value);
            if (name === 'search' || name === 'href') this.#searchParams = undefined;
          },
        });
    }

    constructor(href: unknown, base?: unknown) {
      const text = addresses.read(href, base);
      if (text === undefined) throw new TypeError('Invalid URL');
      this.#parts = JSON.parse(text);
    }

    static canParse(href: unknown, base?: unknown): boolean {
      return addresses.read(href, base) !== undefined;
    }

    get searchParams(): object {
      this.#searchParams ??= new SearchParams(this.#parts['search'], (text) => this.#change('search', text));
      return this.#searchParams;
    }

    toString(): string {
      return `${this.#parts['href']}`;
    }

    toJSON(): string {
      return `${this.#parts['href']}`;
    }

    #change(name: string, value: unknown): void {
      const text = addresses.change(`${this.#parts['href']}`, name, value);
      if (text !== undefined) this.#parts = JSON.parse(text);
      else if (name === 'href') throw new TypeError('Invalid URL');
    }
  }
  return URL;
}
