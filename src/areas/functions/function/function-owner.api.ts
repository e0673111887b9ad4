import type { RunBy } from '../../../kernel/actors/run-by.js';
import type { Permission } from '../../../kernel/callers/caller.js';
import { type FunctionOwnerKind, type Owned, ownerOf } from '../../../kernel/callers/function-owner.js';
import type { TargetKind } from '../../../kernel/callers/target.js';
import type { Place } from '../../../kernel/condition/places.js';
import { refuse } from '../functions.refusals.js';

export interface FunctionOwnerRules {
  /** Category of the functions' streams. In pending changes and notices, it is also the function's `target.kind`. */
  readonly category: string;
  readonly collection: string;
  readonly names: string;
  readonly audited: { readonly auditedFor: Permission; readonly shownBy: `${string}/${string}` };
  missing(): never;
  readonly targetKind: TargetKind;
  readonly envVars: string;
  readonly beginsActive: boolean;
  /** `accessRules.runBy` of new functions whose creator sent none. `null` means that none is chosen yet. */
  readonly runBy: RunBy | null;
  /** Determines which rules the condition `accessRules.execute` can contain. */
  readonly execute: Place;
  /**
   * Whether a save of code, grants or access rules must include `seenUpdatedAt`. If a save includes it, it is always
   * checked (Q-S118).
   */
  readonly needsSeenUpdatedAt: boolean;
  /**
   * Whether a change that is not part of a draft, such as the name, waits for approval if the function has Full data
   * access and the setting `versions` is on (Sites API, updateBackendFunction; for a workspace, Q-A23).
   */
  readonly waitsBesideDraft: boolean;
  readonly inheritsGrants: boolean;
  /** Whether automations may change grants. AI agents never may. */
  readonly automationsGrant: boolean;
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
    waitsBesideDraft: false,
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
    waitsBesideDraft: true,
    inheritsGrants: false,
    automationsGrant: false,
    membersRunInactive: false,
  },
};

export const ownerRulesOf = (of: Owned): FunctionOwnerRules => ownerRules[ownerOf(of).kind];
