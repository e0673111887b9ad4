import type { Starter } from '../../../kernel/callers/starter.js';
import type { Visitor } from '../run/function-runs.api.js';

/** A function of a site that another function calls as a method. */
export interface MethodCall {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly nameOrId: string;
  readonly starter: Starter & { readonly kind: 'function' };
  /** The site user or visitor behind the call, whom the method's execute rule judges. */
  readonly visitor: Visitor | undefined;
}

/** Finds the exposed functions of sites. */
export abstract class SiteMethods {
  /** @throws CapabilityRefused when there is none, or this caller may not call it */
  abstract callable(call: MethodCall): Promise<{ readonly projectId: string; readonly functionId: string }>;
}
