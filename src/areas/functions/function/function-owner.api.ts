import type { RunBy } from '../../../kernel/actors/run-by.js';
import type { Permission } from '../../../kernel/callers/caller.js';
import { type FunctionOwnerKind, type Owned, ownerOf } from '../../../kernel/callers/function-owner.js';
import type { TargetKind } from '../../../kernel/callers/target.js';
import type { Place } from '../../../kernel/condition/places.js';
import { refuse } from '../functions.refusals.js';

/** All the ways in which functions of the two kinds of owner differ. */
export interface OwnerRules {
  /** Category of their streams, and therefore the target kind of their cards and notices. */
  readonly category: string;
  /** The read model of these functions. */
  readonly collection: string;
  /** Category of the streams that reserve their names. Names are unique per owner. */
  readonly names: string;
  /** The permission needed to see them, and so to read their history in the audit; and the operation that shows one. */
  readonly audited: { readonly auditedFor: Permission; readonly shownBy: `${string}/${string}` };
  missing(): never;
  /** Their target kind in triggers. */
  readonly lane: TargetKind;
  /** The read model of the secrets that they may use. */
  readonly envVars: string;
  /** Whether a new function is active (settled question Q-S116). */
  readonly beginsActive: boolean;
  /** The `runBy` of a function created without one. Null: nobody has chosen yet. */
  readonly runBy: RunBy | null;
  /** Where `accessRules.execute` applies. This decides which rules the condition may contain. */
  readonly execute: Place;
  /**
   * Whether a save of code, grants or access rules must include `seenUpdatedAt`. When sent, it is always checked
   * (Q-S118).
   */
  readonly needsSeenUpdatedAt: boolean;
  /** A function made by an agent gets that agent's grants; else none, because it has its site. */
  readonly inheritsGrants: boolean;
  /** Automations may change what it reaches. AI agents never may. */
  readonly automationsGrant: boolean;
  /** Members may try out an inactive function (settled question Q-S117). */
  readonly membersRunInactive: boolean;
}

export const ownerRules: { readonly [Kind in FunctionOwnerKind]: OwnerRules } = {
  workspace: {
    category: 'function',
    collection: 'functions',
    names: 'functionName',
    audited: { auditedFor: 'functions.read', shownBy: 'automations/getFunction' },
    missing: () => refuse('function-not-found'),
    lane: 'account_function',
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
    lane: 'site_function',
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

export const rulesOf = (of: Owned): OwnerRules => ownerRules[ownerOf(of).kind];
