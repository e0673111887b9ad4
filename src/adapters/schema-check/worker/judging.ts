import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../../kernel/json.js';
import { type Resolve, referencesOf, type Schema } from '../../../kernel/json-schema.js';
import { CheckGivenUp, type Misfit } from '../../../ports/schema-check.port.js';
import { type Reading, readingOf } from './keywords.js';
import { type Judge, Look, type Place, pathOf } from './look.js';
import { Seen } from './seen.js';

/** A step is a look at one value or one member. What is kept meanwhile grows no faster, so this bounds memory too. */
const mostSteps = 2_000_000;
const mostMisfits = 20;

/**
 * Judges one value by one schema, as JSON Schema 2020-12 says, by walking both: nothing is compiled but patterns, so a
 * schema is never more than data. All a schema can do is ask for too much, and then the check is given up.
 */
export class Judging implements Judge {
  readonly misfits: Misfit[] = [];
  private steps = 0;
  private references: Resolve | undefined;
  private readonly patterns = new Map<string, RegExp>();
  /** A schema of items is read once, not once for each item. */
  private readonly readings = new Map<JsonObject, Reading>();

  constructor(private readonly root: JsonObject) {}

  /** Whether it fits. Where `aloud`, every misfit is told; else the first one ends the matter. */
  judge(schema: Schema, value: Json, at: Place | undefined, aloud: boolean, seen?: Seen): boolean {
    this.step();
    if (typeof schema === 'boolean') return schema || this.tell(at, 'is not allowed', aloud);
    const { first, late } = this.read(schema);
    const look = new Look(this, schema, value, at, aloud, seen ?? (late.length > 0 ? new Seen() : undefined));
    let fits = true;
    for (const { keyword, operand } of first) {
      fits = keyword(operand, look) && fits;
      if (!fits && !aloud) return false;
    }
    return fits && late.every(({ keyword, operand }) => keyword(operand, look));
  }

  private read(schema: JsonObject): Reading {
    const reading = this.readings.get(schema) ?? readingOf(schema);
    this.readings.set(schema, reading);
    return reading;
  }

  tell(at: Place | undefined, message: string, aloud: boolean): false {
    if (!aloud || this.misfits.length >= mostMisfits) return false;
    const misfit = { path: pathOf(at), message };
    if (!this.misfits.some((other) => isDeepStrictEqual(other, misfit))) this.misfits.push(misfit);
    return false;
  }

  /** @throws CheckGivenUp */
  step(): void {
    this.steps += 1;
    if (this.steps > mostSteps) throw new CheckGivenUp();
  }

  /** @throws CheckGivenUp on a reference to nothing; a schema that has one is not accepted in the first place. */
  resolve(reference: Json): Schema {
    this.references ??= referencesOf(this.root);
    const schema = typeof reference === 'string' ? this.references(reference) : undefined;
    if (schema === undefined) throw new CheckGivenUp();
    return schema;
  }

  matches(pattern: string, text: string): boolean {
    const known = this.patterns.get(pattern) ?? new RegExp(pattern, 'u');
    this.patterns.set(pattern, known);
    return known.test(text);
  }
}
