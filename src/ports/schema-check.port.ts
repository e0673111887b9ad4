import type { Json, JsonObject } from '../kernel/json.js';
import type { JsonPath } from '../kernel/json-path.js';

/** One thing about a value that does not fit. */
export interface Misfit {
  readonly path: JsonPath;
  /** What it must be, to be read after the path: `must be a string`. Quotes the schema, never the value. */
  readonly message: string;
}

/** A check that was given up: the schema or the value asks for more work or memory than one check may take. */
export class CheckGivenUp extends Error {
  constructor() {
    super('The check asked for too much and was given up.');
  }
}

export interface CheckRequest {
  /** Workspaces take turns: what one of them asks for never holds up another's check for long. */
  readonly workspaceId: string;
  /** JSON Schema 2020-12 in one document; `format` is a note in it and no rule. Written by a customer, so maybe hostile. */
  readonly schema: JsonObject;
  readonly value: Json;
}

/** Judges values by customers' JSON Schemas, behind a wall: no schema and no value takes the service down or holds it up. */
export abstract class SchemaCheck {
  /**
   * What does not fit, in the order of the schema, twenty at most; empty when the value fits. Depends on nothing but
   * the request, so asking again is harmless.
   * @throws CheckGivenUp within a second of its turn; other errors when no check can be made at all
   */
  abstract check(request: CheckRequest): Promise<readonly Misfit[]>;

  /** Checks that wait are rejected; nothing goes on afterwards. */
  abstract close(): Promise<void>;
}
