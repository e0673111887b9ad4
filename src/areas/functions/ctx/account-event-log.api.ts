import type { Call } from '../../../engine/operation/call.js';
import type { JsonObject } from '../../../kernel/json/json.js';

/**
 * Records account events that code emits. Abstract, because functions are below account events, which start them; there is one
 * implementation, and nothing to register by a key.
 */
export abstract class AccountEventLog {
  /** @throws Refusal invalid-input */
  abstract record(
    call: Call,
    raised: {
      readonly name: string;
      readonly subject?: JsonObject | undefined;
      readonly properties?: JsonObject | undefined;
      readonly idempotencyKey?: string | undefined;
      /** True when the event must not cause anything to be deleted, because its emitter may not delete. */
      readonly neverDeletes?: boolean | undefined;
    },
    origin: string,
    depth: number,
  ): Promise<{ readonly recorded: boolean; readonly event: string }>;
}
