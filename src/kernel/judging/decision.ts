import type { CallerKind, Permission, Role } from '../callers/caller.js';
import type { Value } from './value.js';

export interface RightDecision {
  readonly kind: 'right';
  readonly at: string;
  readonly code: string;
  readonly operation: string;
  readonly asked: RequiredRights;
  readonly caller: JudgedCaller;
  /**
   * The message of the refusal, possibly truncated. Omitted for refusals by the checks that all operations share
   * (`rightsChecks`), and for a message that may contain sealed personal data.
   */
  readonly sentence?: string;
}

export interface RequiredRights {
  readonly permission: Permission;
  /** True for a command, and for a query whose response shows links. */
  readonly touches: boolean;
  readonly takesAway: boolean;
  readonly callers?: readonly CallerKind[];
}

export interface JudgedCaller {
  readonly kind: CallerKind;
  readonly id: string;
  /** Empty for an agent that the service runs itself. */
  readonly keyId: string;
  readonly role: Role;
  /** `more` contains rights beyond those of the role; `less` contains rights of the role that the caller lacked. */
  readonly more: readonly Permission[];
  readonly less: readonly Permission[];
  readonly readOnly: boolean;
  readonly neverDeletes: boolean;
}

/** The visitor's id (`userId`) is the only personal data in this record. */
export interface RuleDecision {
  readonly kind: 'rule';
  readonly at: string;
  readonly code: string;
  readonly projectId: string;
  readonly place: RulePlace;
  readonly userId: string | null;
  readonly outcome: Value;
  /** Digest of the condition, or null if none was saved. */
  readonly rule: string | null;
  /** Digest of the policies to which the condition refers. Omitted if there are none. */
  readonly policies?: string;
  /**
   * The outcome of each distinct rule of the condition as one letter, in order of appearance. Omitted if the condition
   * was not evaluated.
   */
  readonly outcomes?: string;
  /** Number of rules that were evaluated. Default: the length of `outcomes`. */
  readonly judged?: number;
  /** Why the condition could not be evaluated, possibly truncated. Omitted if it was evaluated. */
  readonly problem?: string;
}

export interface RulePlace {
  readonly kind: 'function' | 'account-function' | 'email' | 'channel' | 'proxy' | 'table' | 'field';
  readonly id: string;
  readonly operation: string;
  readonly tableId?: string;
  readonly rowId?: string;
}

/**
 * The function lacked a power (an approved capability such as sending mail) or a grant (access to a site or base), or
 * its `runBy` excluded a visitor.
 */
export interface PowerDecision {
  readonly kind: 'power';
  readonly at: string;
  readonly code: string;
  /**
   * Member of ctx, such as `ctx.email.send`. For a visitor, the function that was called, such as
   * `account-functions/<name>`.
   */
  readonly member: string;
  readonly functionId: string;
  readonly projectId?: string;
  readonly sentence: string;
  readonly visitor?: { readonly kind: 'user' | 'visitor'; readonly id: string };
}

export type Decision = RightDecision | RuleDecision | PowerDecision;
