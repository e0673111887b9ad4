import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { type ResolveReference, referencesOf, type Schema } from '../../../kernel/json/json-schema.js';
import { CheckGivenUp, type SchemaViolation } from '../../../ports/offloaded/schema-check.port.js';
import { type CheckedKeywords, keywordsOf } from './keywords.js';
import { type Judge, jsonPathOf, SchemaVisit, type ValueLocation } from './schema-visit.js';
import { EvaluatedParts } from './seen.js';

/**
 * Maximum number of steps of a check. A step handles one value or one member. Memory use grows with the steps, so it is
 * limited too.
 */
const mostSteps = 2_000_000;
const mostMisfits = 20;

/**
 * Checks one value according to JSON Schema 2020-12. It compiles nothing but the patterns, so a schema is never
 * executed as code.
 */
export class SchemaCheckRun implements Judge {
  readonly misfits: SchemaViolation[] = [];
  private steps = 0;
  private references: ResolveReference | undefined;
  private readonly patterns = new Map<string, RegExp>();
  private readonly readings = new Map<JsonObject, CheckedKeywords>();

  constructor(private readonly root: JsonObject) {}

  judge(schema: Schema, value: Json, at: ValueLocation | undefined, aloud: boolean, seen?: EvaluatedParts): boolean {
    this.step();
    if (typeof schema === 'boolean') return schema || this.report(at, 'is not allowed', aloud);
    const { first, late } = this.read(schema);
    const look = new SchemaVisit(
      this,
      schema,
      value,
      at,
      aloud,
      seen ?? (late.length > 0 ? new EvaluatedParts() : undefined),
    );
    let fits = true;
    for (const { keyword, operand } of first) {
      fits = keyword(operand, look) && fits;
      if (!fits && !aloud) return false;
    }
    return fits && late.every(({ keyword, operand }) => keyword(operand, look));
  }

  private read(schema: JsonObject): CheckedKeywords {
    const reading = this.readings.get(schema) ?? keywordsOf(schema);
    this.readings.set(schema, reading);
    return reading;
  }

  report(at: ValueLocation | undefined, message: string, aloud: boolean): false {
    if (!aloud || this.misfits.length >= mostMisfits) return false;
    const misfit = { path: jsonPathOf(at), message };
    if (!this.misfits.some((other) => isDeepStrictEqual(other, misfit))) this.misfits.push(misfit);
    return false;
  }

  /** @throws CheckGivenUp if there were too many steps */
  step(): void {
    this.steps += 1;
    if (this.steps > mostSteps) throw new CheckGivenUp();
  }

  /**
   * @throws CheckGivenUp if the reference cannot be resolved, although such a schema is normally refused when it is
   * saved
   */
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
