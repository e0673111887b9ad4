import type { RunBy } from '../../../kernel/actors/run-by.js';
import type { Permission } from '../../../kernel/callers/caller.js';
import { type FunctionOwnerKind, type Owned, ownerOf } from '../../../kernel/callers/function-owner.js';
import type { TargetKind } from '../../../kernel/callers/target.js';
import type { Place } from '../../../kernel/condition/places.js';
import { refuse } from '../functions.refusals.js';

/** All differences between functions of workspaces and of sites. */
export interface FunctionOwnerRules {
  /** The category of their streams, which is also the target kind of their cards and notices. */
  readonly category: string;
  /** The read model of these functions. */
  readonly collection: string;
  /** Category of the streams that reserve their names, which are unique per owner. */
  readonly names: string;
  /** The permission to see them, also in the audit's history, and the operation that shows one. */
  readonly audited: { readonly auditedFor: Permission; readonly shownBy: `${string}/${string}` };
  missing(): never;
  /** The target kind of these functions in triggers. */
  readonly targetKind: TargetKind;
  /** The read model of the secrets that these functions may use. */
  readonly envVars: string;
  /** Whether a new function is active (settled question Q-S116). */
  readonly beginsActive: boolean;
  /** The `runBy` of a function created without one. `null` means that it has not been chosen. */
  readonly runBy: RunBy | null;
  /** The kind of place for which `accessRules.execute` is judged; it determines the allowed rules. */
  readonly execute: Place;
  /**
   * Whether a save of code, grants or access rules must include `seenUpdatedAt`. If sent, it is always checked
   * (Q-S118).
   */
  readonly needsSeenUpdatedAt: boolean;
  /** Whether a function made by an agent starts with that agent's grants; if not, it starts with none. */
  readonly inheritsGrants: boolean;
  /** Whether automations may change what the function reaches; AI agents never may. */
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
