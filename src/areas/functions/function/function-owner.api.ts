import type { RunBy } from '../../../kernel/actors/run-by.js';
import type { Permission } from '../../../kernel/callers/caller.js';
import { type FunctionOwnerKind, type Owned, ownerOf } from '../../../kernel/callers/function-owner.js';
import type { TargetKind } from '../../../kernel/callers/target.js';
import type { Place } from '../../../kernel/condition/places.js';
import { refuse } from '../functions.refusals.js';

/** Rules that differ between functions of workspaces and functions of sites. */
export interface FunctionOwnerRules {
  /** Category of the functions' streams. It is also the kind by which pending changes and notices name the function. */
  readonly category: string;
  /** Name of the functions' read model. */
  readonly collection: string;
  /** Category of the streams that reserve the functions' names. */
  readonly names: string;
  /** The permission to see these functions and their history in the audit, and the operation that shows one. */
  readonly audited: { readonly auditedFor: Permission; readonly shownBy: `${string}/${string}` };
  missing(): never;
  /** The functions' target kind in triggers. */
  readonly targetKind: TargetKind;
  /** Name of the read model that has the secrets which these functions may use. */
  readonly envVars: string;
  /** Whether a new function is active (settled question Q-S116). */
  readonly beginsActive: boolean;
  /** The `runBy` of a function that is created without one. `null` means that it has not been chosen. */
  readonly runBy: RunBy | null;
  /** The kind of place for which `accessRules.execute` is judged. It determines which rules are allowed. */
  readonly execute: Place;
  /**
   * Whether a save of code, grants or access rules must include `seenUpdatedAt`. If a save includes it, it is always
   * checked (Q-S118).
   */
  readonly needsSeenUpdatedAt: boolean;
  /** Whether a function that an agent creates starts with the agent's grants instead of none. */
  readonly inheritsGrants: boolean;
  /** Whether automations may change the function's grants. AI agents never may. */
  readonly automationsGrant: boolean;
  /** Whether members may try out an inactive function (settled question Q-S117). */
  readonly membersRunInactive: boolean;
}

export const ownerRules: { readonly [Kind in FunctionOwnerKind]: FunctionOwnerRules } = {
  workspace: {
    category: 'function',
    collection: 'functions',
    names: 'functionName',
    audited: { auditedFor: 'functions.read', shownBy: 'automations/getFunction' },
    missing: () => refuse('function-not-found'),
    targetKind: 'account_function',
    envVars: 'envVars',
    beginsActive: false,
    runBy: null,
    execute: 'account-function',
    needsSeenUpdatedAt: true,
    inheritsGrants: true,
    automationsGrant: true,
    membersRunInactive: true,
  },
  project: {
    category: 'siteFunction',
    collection: 'siteFunctions',
    names: 'siteFunctionName',
    audited: { auditedFor: 'site.read', shownBy: 'site/getBackendFunction' },
    missing: () => refuse('site-function-not-found'),
    targetKind: 'site_function',
    envVars: 'siteEnvVars',
    beginsActive: true,
    runBy: { pages: 'any', functions: [], agents: [] },
    execute: 'function',
    needsSeenUpdatedAt: false,
    inheritsGrants: false,
    automationsGrant: false,
    membersRunInactive: false,
  },
};

export const ownerRulesOf = (of: Owned): FunctionOwnerRules => ownerRules[ownerOf(of).kind];
