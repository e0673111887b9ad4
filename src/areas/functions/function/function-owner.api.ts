import type { Place } from '../../../kernel/condition/places.js';
import { type FunctionOwnerKind, type Owned, ownerOf } from '../../../kernel/function-owner.js';
import type { RunBy } from '../../../kernel/run-by.js';
import type { TargetKind } from '../../../kernel/target.js';

/** All the ways in which functions of the two kinds of owner differ. */
export interface OwnerRules {
  /** Category of their streams, and therefore the target kind of their cards and notices. */
  readonly category: string;
  /** The read model of these functions. */
  readonly collection: string;
  /** Category of the streams that reserve their names. Names are unique per owner. */
  readonly names: string;
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
  /** Members may try out an inactive function (settled question Q-S117). */
  readonly membersRunInactive: boolean;
  /** The ctx members that reach outside the sandbox. Members not listed here do not exist for these functions. */
  readonly ctx: readonly string[];
}

const ctxOfAll = [
  'events.emit',
  'connections.call',
  'env.get',
  'env.set',
  'email.send',
  'email.sendVia',
  'email.accounts',
  'fetch',
  'files.read',
  'secrets.verifyHmac',
] as const;

export const ownerRules: { readonly [Kind in FunctionOwnerKind]: OwnerRules } = {
  workspace: {
    category: 'function',
    collection: 'functions',
    names: 'functionName',
    lane: 'account_function',
    envVars: 'envVars',
    beginsActive: false,
    runBy: null,
    execute: 'account-function',
    needsSeenUpdatedAt: true,
    membersRunInactive: true,
    ctx: ['functions.run', ...ctxOfAll],
  },
  project: {
    category: 'siteFunction',
    collection: 'siteFunctions',
    names: 'siteFunctionName',
    lane: 'site_function',
    envVars: 'siteEnvVars',
    beginsActive: true,
    runBy: { pages: true, functions: [], agents: [] },
    execute: 'function',
    needsSeenUpdatedAt: false,
    membersRunInactive: false,
    ctx: ctxOfAll,
  },
};

export const rulesOf = (of: Owned): OwnerRules => ownerRules[ownerOf(of).kind];
