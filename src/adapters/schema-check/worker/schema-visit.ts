import type { Json, JsonObject } from '../../../kernel/json/json.js';
import type { JsonPath } from '../../../kernel/json/json-path.js';
import type { Schema } from '../../../kernel/json/json-schema.js';
import { EvaluatedParts } from './seen.js';

export interface Judge {
  /** If `aloud`, the check reports misfits and goes on. Otherwise it ends at the first one. */
  judge(schema: Schema, value: Json, at: ValueLocation | undefined, aloud: boolean, seen?: EvaluatedParts): boolean;
  report(at: ValueLocation | undefined, message: string, aloud: boolean): false;
  /** @throws CheckGivenUp */
  step(): void;
  /** @throws CheckGivenUp */
  resolve(reference: Json): Schema;
  matches(pattern: string, text: string): boolean;
}

/**
 * Location in the checked value. Undefined means the root. The locations form a linked list, so a deeper one is created
 * without copying.
 */
export interface ValueLocation {
  readonly above: ValueLocation | undefined;
  readonly key: string | number;
}

/** `operand` is the value of the keyword in the schema. */
export type Keyword = (operand: Json, look: SchemaVisit) => boolean;

export class SchemaVisit {
  constructor(
    readonly judging: Judge,
    readonly schema: JsonObject,
    readonly value: Json,
    private readonly at: ValueLocation | undefined,
    readonly aloud: boolean,
    readonly seen: EvaluatedParts | undefined,
  ) {}

  wrong(message: string): false {
    return this.judging.report(this.at, message, this.aloud);
  }

  wrongAt(key: string | number, message: string): false {
    return this.judging.report({ above: this.at, key }, message, this.aloud);
  }

  also(schema: Schema, aloud = this.aloud): boolean {
    const seen = this.seen && new EvaluatedParts();
    const fits = this.judging.judge(schema, this.value, this.at, aloud, seen);
    if (fits && seen) this.seen?.takeOver(seen, () => this.judging.step());
    return fits;
  }

  quietlyAlso(schema: Schema): boolean {
    return this.also(schema, false);
  }

  within(schema: Schema, key: string | number, value: Json): boolean {
    return this.judging.judge(schema, value, { above: this.at, key }, this.aloud);
  }

  quietlyWithin(schema: Schema, value: Json): boolean {
    return this.judging.judge(schema, value, undefined, false);
  }
}

export function jsonPathOf(place: ValueLocation | undefined): JsonPath {
  const keys: (string | number)[] = [];
  for (let at = place; at !== undefined; at = at.above) keys.unshift(at.key);
  return keys;
}
