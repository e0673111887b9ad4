import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { JsonObject } from '../../../kernel/json/json.js';

/** Abstract, because the implementation is in the account-events area, which depends on this one. */
export abstract class AccountEventLog {
  /** @throws Refusal invalid-input */
  abstract record(
    call: OperationContext,
    raised: {
      readonly name: string;
      readonly subject?: JsonObject | undefined;
      readonly properties?: JsonObject | undefined;
      readonly idempotencyKey?: string | undefined;
      /** If true, the emitter may not delete data, and neither may the runs that the event starts. */
      readonly neverDeletes?: boolean | undefined;
    },
    origin: string,
    depth: number,
  ): Promise<{ readonly recorded: boolean; readonly event: string }>;
}
