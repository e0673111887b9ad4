import type { Starter } from '../../../kernel/starter.js';

export interface NamedFunction {
  readonly id: string;
  /** @throws Refusal run-not-allowed */
  checkStarter(starter: Starter): void;
}

/** Finds the function that a starter names, and judges whether it may start it (accessRules.runBy). */
export abstract class CallableFunctions {
  /** The id of one that may be started now. @throws CapabilityRefused */
  abstract startable(workspaceId: string, nameOrId: string, starter: Starter): Promise<string>;

  /** For what starts it later: undefined when there is none; it may be inactive until then. */
  abstract named(workspaceId: string, nameOrId: string): Promise<NamedFunction | undefined>;
}
