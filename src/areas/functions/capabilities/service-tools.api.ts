import type { Json, JsonObject } from '../../../kernel/json/json.js';
import type { RunScope } from './capability-table.api.js';

/** The service's own operations, callable by functions. */
export abstract class ServiceTools {
  /** @throws CapabilityRefused */
  abstract call(scope: RunScope, tool: string, args: JsonObject): Promise<Json>;
}
