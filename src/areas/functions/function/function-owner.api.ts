import type { Place } from '../../../kernel/condition/places.js';
import { type FunctionOwnerKind, type Owned, ownerOf } from '../../../kernel/function-owner.js';
import type { RunBy } from '../../../kernel/run-by.js';
import type { TargetKind } from '../../../kernel/target.js';

/** Everything in which functions of one kind of owner differ from those of the other. */
export interface OwnerRules {
  /** Category of their streams, and so the target kind of their cards and notices. */
  readonly category: string;
  /** The read model that holds them. */
  readonly collection: string;
  /** Category of the streams that reserve their names; a name is unique in its owner. */
  readonly names: string;
  /** As what triggers point at them. */
  readonly lane: TargetKind;
  /** The read model of the secrets that they may use. */
  readonly envVars: string;
  /** Whether they can run from the start (settled question Q-S116). */
  readonly beginsActive: boolean;
  /** Who may start one that was created without `runBy`; null: nobody has chosen yet. */
  readonly runBy: RunBy | null;
  /** What stands behind `accessRules.execute`: it says which rules the condition may hold. */
  readonly execute: Place;
  /** Whether a save of code, grants or access rules has to say what it saw; what is said is checked anyway (Q-S118). */
  readonly needsSeenUpdatedAt: boolean;
  /** Members may run one that is inactive, to try it (settled question Q-S117). */
  readonly membersRunInactive: boolean;
  /** Members of ctx that reach outside. One that is not listed is not there. */
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
