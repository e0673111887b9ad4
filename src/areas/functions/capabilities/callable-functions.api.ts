import type { Starter } from '../../../kernel/callers/starter.js';

export interface NamedFunction {
  readonly id: string;
  /** @throws Refusal run-not-allowed */
  checkStarter(starter: Starter): void;
}

/** Finds the function that a starter names and checks that the starter may run it (accessRules.runBy). */
export abstract class CallableFunctions {
  /** The id of a function that may be started now. @throws CapabilityRefused */
  abstract startable(workspaceId: string, nameOrId: string, starter: Starter): Promise<string>;

  /** For starts at a later time, so the function may be inactive now. Undefined when there is no such function. */
  abstract named(workspaceId: string, nameOrId: string): Promise<NamedFunction | undefined>;
}
