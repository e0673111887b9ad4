import type { Starter } from '../../kernel/starter.js';

/** Finds the function that a starter names, and judges whether it may start it. */
export abstract class CallableFunctions {
  /** The id. @throws CapabilityRefused */
  abstract startable(workspaceId: string, nameOrId: string, starter: Starter): Promise<string>;
}
