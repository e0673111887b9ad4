import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { JsonObject } from '../../../kernel/json/json.js';

/**
 * Records account events that code emits. It is abstract because account events start functions and so depend on this
 * area; there is one implementation.
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
      /** Whether the emitter may not delete, in which case nothing that the event starts may delete either. */
      readonly neverDeletes?: boolean | undefined;
    },
    origin: string,
    depth: number,
  ): Promise<{ readonly recorded: boolean; readonly event: string }>;
}
