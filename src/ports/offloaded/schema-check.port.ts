import type { Json, JsonObject } from '../../kernel/json/json.js';
import type { JsonPath } from '../../kernel/json/json-path.js';

export interface SchemaViolation {
  readonly path: JsonPath;
  /**
   * Requirement that the value violates, to be read after the path: `must be a string`. Quotes the schema, never the
   * value.
   */
  readonly message: string;
}

/** The check was abandoned, because it needs more work or memory than a single check may use. */
export class CheckGivenUp extends Error {
  constructor() {
    super('The check asked for too much and was given up.');
  }
}

export interface CheckRequest {
  /** Workspaces take turns, so none delays another's checks for long. */
  readonly workspaceId: string;
  /** JSON Schema 2020-12 in one document. `format` is not enforced. A customer wrote it, so it may be hostile. */
  readonly schema: JsonObject;
  readonly value: Json;
}

/** Validates values with customers' JSON Schemas, isolated: no schema or value can crash or block the service. */
export abstract class SchemaCheck {
  /**
   * Returns the violations in the order of the schema, at most twenty; empty if the value is valid. The result depends
   * only on the request, so the check may be repeated. @throws CheckGivenUp within a second of its turn; other errors
   * if no check can be made at all
   */
  abstract check(request: CheckRequest): Promise<readonly SchemaViolation[]>;

  /** Rejects waiting checks. No check runs afterwards. */
  abstract close(): Promise<void>;
}
