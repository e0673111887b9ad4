import type { Json, JsonObject } from '../../kernel/json/json.js';
import type { JsonPath } from '../../kernel/json/json-path.js';

/** One violation of the schema. */
export interface SchemaViolation {
  readonly path: JsonPath;
  /** What the value must be, to be read after the path: `must be a string`. Quotes the schema, never the value. */
  readonly message: string;
}

/** The check was abandoned: it needs more work or memory than one check may use. */
export class CheckGivenUp extends Error {
  constructor() {
    super('The check asked for too much and was given up.');
  }
}

export interface CheckRequest {
  /** Workspaces take turns, so that none delays another's checks for long. */
  readonly workspaceId: string;
  /** JSON Schema 2020-12 in one document; `format` is not enforced. Written by a customer, so possibly hostile. */
  readonly schema: JsonObject;
  readonly value: Json;
}

/** Validates values with customers' JSON Schemas, isolated: no schema or value can crash or block the service. */
export abstract class SchemaCheck {
  /**
   * The violations in the order of the schema, at most twenty; empty if the value is valid. Depends only on the
   * request, so it may be repeated.
   * @throws CheckGivenUp within a second of its turn; other errors when no check can be made at all
   */
  abstract check(request: CheckRequest): Promise<readonly SchemaViolation[]>;

  /** Rejects waiting checks. Nothing runs afterwards. */
  abstract close(): Promise<void>;
}
