import type { Json, JsonObject } from '../../../kernel/json.js';
import type { JsonPath } from '../../../kernel/json-path.js';
import type { Schema } from '../../../kernel/json-schema.js';
import { Seen } from './seen.js';

/** Who judges: what a keyword may ask for while it looks at a value. */
export interface Judge {
  /** Whether it fits. Where `aloud`, every misfit is told; else the first one ends the matter. */
  judge(schema: Schema, value: Json, at: Place | undefined, aloud: boolean, seen?: Seen): boolean;
  tell(at: Place | undefined, message: string, aloud: boolean): false;
  /** @throws CheckGivenUp */
  step(): void;
  /** @throws CheckGivenUp */
  resolve(reference: Json): Schema;
  matches(pattern: string, text: string): boolean;
}

/** Where a value stands; undefined is the whole. Linked, so that going deeper copies nothing. */
export interface Place {
  readonly above: Place | undefined;
  readonly key: string | number;
}

/** The verdict of a keyword on the value that is looked at. Its operand is what a schema holds under its name. */
export type Keyword = (operand: Json, look: Look) => boolean;

/** One schema looking at one value: what a keyword needs to judge. */
export class Look {
  constructor(
    readonly judging: Judge,
    readonly schema: JsonObject,
    readonly value: Json,
    private readonly at: Place | undefined,
    readonly aloud: boolean,
    /** What of the value was looked at; undefined where nobody asks. */
    readonly seen: Seen | undefined,
  ) {}

  wrong(message: string): false {
    return this.judging.tell(this.at, message, this.aloud);
  }

  wrongAt(key: string | number, message: string): false {
    return this.judging.tell({ above: this.at, key }, message, this.aloud);
  }

  /** Another schema on the same value: what it looks at counts if the value fits it. */
  also(schema: Schema, aloud = this.aloud): boolean {
    const seen = this.seen && new Seen();
    const fits = this.judging.judge(schema, this.value, this.at, aloud, seen);
    if (fits && seen) this.seen?.takeOver(seen, () => this.judging.step());
    return fits;
  }

  quietlyAlso(schema: Schema): boolean {
    return this.also(schema, false);
  }

  /** A schema on a member or an item. */
  within(schema: Schema, key: string | number, value: Json): boolean {
    return this.judging.judge(schema, value, { above: this.at, key }, this.aloud);
  }

  /** The same, telling nothing. */
  quietlyWithin(schema: Schema, value: Json): boolean {
    return this.judging.judge(schema, value, undefined, false);
  }
}

export function pathOf(place: Place | undefined): JsonPath {
  const keys: (string | number)[] = [];
  for (let at = place; at !== undefined; at = at.above) keys.unshift(at.key);
  return keys;
}
