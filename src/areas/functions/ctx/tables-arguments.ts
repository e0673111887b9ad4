import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { CapabilityRefused } from '../../../ports/offloaded/sandbox.port.js';

export const mostRowsOfCall = 1_000;

export class TablesArguments {
  constructor(
    private readonly args: readonly Json[],
    /** The call as its author writes it: `ctx.tables.getRow(table, id)`. */
    private readonly usage: string,
  ) {}

  text(at: number, what: string): string {
    const value = this.args[at];
    if (typeof value !== 'string' || value === '') this.refuse(`${what} must be a string that is not empty`);
    return value;
  }

  object(at: number, what: string): JsonObject {
    const value = this.args[at];
    if (!isObject(value)) this.refuse(`${what} must be an object`);
    return value;
  }

  filter(at: number): JsonObject | undefined {
    return this.isLeftOut(at) ? undefined : this.object(at, 'the filter');
  }

  list(at: number, what: string): readonly Json[] {
    const value = this.args[at];
    if (!Array.isArray(value) || value.length > mostRowsOfCall)
      this.refuse(`${what} must be a list of at most ${mostRowsOfCall.toLocaleString('en')}`);
    return value;
  }

  ids(at: number): readonly string[] {
    return this.list(at, 'the ids').map((id) => (typeof id === 'string' ? id : this.refuse('an id must be a string')));
  }

  changes(at: number): readonly { readonly id: string; readonly values: JsonObject }[] {
    return this.list(at, 'the changes').map((one) => {
      const { id, values, ...others } = isObject(one) ? one : {};
      const isWhole = typeof id === 'string' && isObject(values) && Object.keys(others).length === 0;
      return isWhole ? { id, values } : this.refuse('a change must be { id, values }');
    });
  }

  /** Refuses unknown options and invalid values. */
  options<Name extends OptionName>(at: number, ...names: readonly Name[]): Pick<TablesOptions, Name> {
    if (this.isLeftOut(at)) return {} as Pick<TablesOptions, Name>;
    const given = this.object(at, 'the last argument');
    for (const [name, value] of Object.entries(given) as [string, Json][]) {
      if (!(names as readonly string[]).includes(name))
        this.refuse(`there is no option ${JSON.stringify(name.slice(0, 60))}`);
      const wrong = wrongOption[name as Name](value);
      if (wrong !== undefined) this.refuse(`${name} must be ${wrong}`);
    }
    return given as Pick<TablesOptions, Name>;
  }

  /** For readAll, the sandbox sends the cursor of the next page and the number of rows already read. */
  progress(at: number): { readonly next: string | null; readonly read: number } {
    const [next = null, read = 0] = [this.args[at], this.args[at + 1]];
    const isSound =
      (next === null || typeof next === 'string') && typeof read === 'number' && Number.isSafeInteger(read);
    return isSound && read >= 0 ? { next, read } : this.refuse('it takes a table and options');
  }

  private isLeftOut(at: number): boolean {
    return this.args[at] === undefined || this.args[at] === null;
  }

  private refuse(what: string): never {
    throw new CapabilityRefused(`${this.usage}: ${what}.`, 'invalid-input', 400);
  }
}

export interface TablesOptions {
  readonly filter?: JsonObject;
  readonly sort?: readonly JsonObject[];
  readonly limit?: number;
  readonly cursor?: string;
  readonly maxRows?: number;
}
type OptionName = keyof TablesOptions;

const wrongOption: Readonly<Record<OptionName, (value: Json) => string | undefined>> = {
  filter: (value) => (isObject(value) ? undefined : 'an object'),
  sort: (value) =>
    Array.isArray(value) && value.every(isObject) ? undefined : "a list of { field, dir: 'asc' | 'desc' }",
  limit: (value) =>
    isWhole(value, mostRowsOfCall) ? undefined : `a whole number from 1 to ${mostRowsOfCall.toLocaleString('en')}`,
  cursor: (value) => (typeof value === 'string' && value !== '' ? undefined : 'the nextCursor of the previous page'),
  maxRows: (value) => (isWhole(value, Number.MAX_SAFE_INTEGER) ? undefined : 'a whole number of at least 1'),
};

const isWhole = (value: Json, most: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= most;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
