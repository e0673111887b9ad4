import type { CallerKind, Permission, Role } from '../callers/caller.js';
import type { Value } from './value.js';

/** The refusal of an operation by a right: everything that decided it. */
export interface RightDecision {
  readonly kind: 'right';
  /** ISO 8601. */
  readonly at: string;
  /** The code of the refusal. */
  readonly code: string;
  readonly operation: string;
  /** What the operation required at that time. */
  readonly asked: RequiredRights;
  readonly caller: JudgedCaller;
  /** The refusal's sentence, unless a check that all operations share refused it. May be cut. */
  readonly sentence?: string;
}

export interface RequiredRights {
  readonly permission: Permission;
  /** It changes something or shows live links. */
  readonly touches: boolean;
  readonly takesAway: boolean;
  /** Left out: every kind. */
  readonly callers?: readonly CallerKind[];
}

export interface JudgedCaller {
  readonly kind: CallerKind;
  /** Member, agent or key id, by kind. */
  readonly id: string;
  /** Empty for an agent that the service runs itself. */
  readonly keyId: string;
  readonly role: Role;
  /** Rights beyond the role's, and rights of the role that it lacked. */
  readonly more: readonly Permission[];
  readonly less: readonly Permission[];
  readonly readOnly: boolean;
  readonly neverDeletes: boolean;
}

/** The refusal of a site's visitor by an access rule. It contains the visitor's id and no other data of theirs. */
export interface RuleDecision {
  readonly kind: 'rule';
  readonly at: string;
  readonly code: string;
  readonly projectId: string;
  readonly place: RulePlace;
  /** The app user; null: not signed in. */
  readonly userId: string | null;
  readonly outcome: Value;
  /** The digest of the condition; null: none was saved. */
  readonly rule: string | null;
  /** The digest of the policies that it refers to; left out: none. */
  readonly policies?: string;
  /** The outcome of each distinct rule of the condition, in order, one letter each. Left out: it was not evaluated. */
  readonly outcomes?: string;
  /** Number of rules that were evaluated; left out: the length of `outcomes`. */
  readonly judged?: number;
  /** Why the condition could not be evaluated. May be cut. */
  readonly problem?: string;
}

export interface RulePlace {
  readonly kind: 'function' | 'account-function' | 'email' | 'channel' | 'proxy' | 'table' | 'field';
  readonly id: string;
  /** `execute`, `send`, `read` … */
  readonly operation: string;
  /** The table of a field. */
  readonly tableId?: string;
  readonly rowId?: string;
}

/** A refusal to a function inside a run, which lacks a power or a grant, or to a visitor that its `runBy` excludes. */
export interface PowerDecision {
  readonly kind: 'power';
  readonly at: string;
  readonly code: string;
  /** `ctx.email.send`; for visitors, what they called. */
  readonly member: string;
  readonly functionId: string;
  readonly projectId?: string;
  readonly sentence: string;
  /** The visitor who was refused. Left out: the function was. */
  readonly visitor?: { readonly kind: 'user' | 'visitor'; readonly id: string };
}

export type Decision = RightDecision | RuleDecision | PowerDecision;
