import type { Json, JsonObject } from '../../kernel/json/json.js';
import type { JsonPath } from '../../kernel/json/json-path.js';

export interface SchemaViolation {
  readonly path: JsonPath;
  /**
   * The violated requirement, phrased to follow the path: `must be a string`. It quotes the schema but never the value.
   */
  readonly message: string;
}

export class CheckGivenUp extends Error {
  constructor() {
    super('The check was aborted because it took too long or too much memory.');
  }
}

export interface CheckRequest {
  /** Checks of different workspaces take turns, so none delays another for long. */
  readonly workspaceId: string;
  /**
   * JSON Schema 2020-12 in one document. `format` is not enforced. The schema is customers' input and may be hostile.
   */
  readonly schema: JsonObject;
  readonly value: Json;
}

/** No schema or value can crash or block the service. */
export abstract class SchemaCheck {
  /**
   * Returns at most twenty violations, in the order of the schema. The result depends only on the request, so the check
   * may be repeated.
   * @throws CheckGivenUp at most a second after the check has started; other errors if no check can be made at all
   */
  abstract check(request: CheckRequest): Promise<readonly SchemaViolation[]>;

  /** Rejects waiting checks. No check runs afterwards. */
  abstract close(): Promise<void>;
}
