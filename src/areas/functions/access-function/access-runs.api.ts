import type { JsonObject } from '../../../kernel/json/json.js';

export interface AccessFunction {
  readonly id: string;
  readonly name: string;
  readonly isActive: boolean;
  /** Changes with everything that may change its answers. */
  readonly version: string;
  /** Its own execute rule, which is not asked when it decides about access, but must not lead back to it. */
  readonly execute: unknown;
}

/** The code functions of sites, as what rules ask. */
export abstract class AccessRuns {
  /** Those of the site among these ids. */
  abstract find(workspaceId: string, projectId: string, ids: readonly string[]): Promise<readonly AccessFunction[]>;

  /**
   * Runs the function for the owner, once, with no retry. Its answer, when it is true or false; anything else is `failed`,
   * and so is a run that `ended` has cut short. Only failed runs are recorded. Never rejects for what the code does.
   */
  abstract ask(
    scope: { readonly workspaceId: string; readonly projectId: string },
    functionId: string,
    params: JsonObject,
    ended: AbortSignal,
  ): Promise<boolean | 'failed'>;
}
