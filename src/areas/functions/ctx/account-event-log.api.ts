import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { JsonObject } from '../../../kernel/json/json.js';

/**
 * Records account events that code emits. Abstract, because functions are below account events, which start them; there is one
 * implementation, and nothing to register by a key.
 */
export abstract class AccountEventLog {
  /** @throws Refusal invalid-input */
  abstract record(
    call: OperationContext,
    raised: {
      readonly name: string;
      readonly subject?: JsonObject | undefined;
      readonly properties?: JsonObject | undefined;
      readonly idempotencyKey?: string | undefined;
      /** The emitter may not delete, so nothing that the event starts may either. */
      readonly neverDeletes?: boolean | undefined;
    },
    origin: string,
    depth: number,
  ): Promise<{ readonly recorded: boolean; readonly event: string }>;
}
