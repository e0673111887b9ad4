import type { CallerKind, Permission, Role } from '../callers/caller.js';
import type { Value } from './value.js';

/** The refusal of an operation for lack of a right, with everything that decided it. */
export interface RightDecision {
  readonly kind: 'right';
  /** Time in ISO 8601. */
  readonly at: string;
  readonly code: string;
  readonly operation: string;
  /** The rights that the operation required at that time. */
  readonly asked: RequiredRights;
  readonly caller: JudgedCaller;
  /**
   * The refusal's message, possibly truncated. Omitted if the operation was refused by one of the checks that all
   * operations share.
   */
  readonly sentence?: string;
}

export interface RequiredRights {
  readonly permission: Permission;
  /** Whether the operation changes something or shows live links. */
  readonly touches: boolean;
  readonly takesAway: boolean;
  /** Kinds of caller that may use the operation. Omitted if all kinds may. */
  readonly callers?: readonly CallerKind[];
}

export interface JudgedCaller {
  readonly kind: CallerKind;
  /** Id of the member, agent or key, depending on the kind. */
  readonly id: string;
  /** Empty for an agent that the service runs itself. */
  readonly keyId: string;
  readonly role: Role;
  /** Rights beyond those of the role. `less` contains rights of the role that the caller lacked. */
  readonly more: readonly Permission[];
  readonly less: readonly Permission[];
  readonly readOnly: boolean;
  readonly neverDeletes: boolean;
}

/** The refusal of a site's visitor by an access rule. The visitor's id is the only personal data in it. */
export interface RuleDecision {
  readonly kind: 'rule';
  readonly at: string;
  readonly code: string;
  readonly projectId: string;
  readonly place: RulePlace;
  /** Id of the app user, or null if the visitor was not signed in. */
  readonly userId: string | null;
  readonly outcome: Value;
  /** Digest of the condition, or null if none was saved. */
  readonly rule: string | null;
  /** Digest of the policies to which the condition refers. Omitted if there are none. */
  readonly policies?: string;
  /**
   * Outcome of each distinct rule of the condition, in order, one letter each. Omitted if the condition was not
   * evaluated.
   */
  readonly outcomes?: string;
  /** Number of rules that were evaluated. Default: the length of `outcomes`. */
  readonly judged?: number;
  /** Reason why the condition could not be evaluated, possibly truncated. */
  readonly problem?: string;
}

export interface RulePlace {
  readonly kind: 'function' | 'account-function' | 'email' | 'channel' | 'proxy' | 'table' | 'field';
  readonly id: string;
  /** The requested action, e.g. `execute`, `send` or `read`. */
  readonly operation: string;
  /** Table of the field, if `id` is that of a field. */
  readonly tableId?: string;
  readonly rowId?: string;
}

/**
 * The refusal of a function during a run, because it lacks a power (an approved capability such as sending mail) or a
 * grant (access to a site or base), or of a visitor whom the function's `runBy` excludes.
 */
export interface PowerDecision {
  readonly kind: 'power';
  readonly at: string;
  readonly code: string;
  /**
   * The member of ctx, e.g. `ctx.email.send`. For a visitor, the function that was called, e.g.
   * `account-functions/<name>`.
   */
  readonly member: string;
  readonly functionId: string;
  readonly projectId?: string;
  readonly sentence: string;
  /** The visitor who was refused. Omitted if the function was refused. */
  readonly visitor?: { readonly kind: 'user' | 'visitor'; readonly id: string };
}

export type Decision = RightDecision | RuleDecision | PowerDecision;
