import type { CallerKind, Permission, Role } from '../callers/caller.js';
import type { Value } from './value.js';

/** What was judged of a caller of an operation when it was refused by a right. */
export interface RightDecision {
  readonly kind: 'right';
  /** ISO 8601. */
  readonly at: string;
  /** The code of the refusal. */
  readonly code: string;
  readonly operation: string;
  /** What the operation asked for then. */
  readonly asked: AskedRights;
  readonly caller: JudgedCaller;
  /** What the refusal said, where no check that all operations share refused it. May be cut. */
  readonly sentence?: string;
}

export interface AskedRights {
  readonly permission: Permission;
  /** It changes something, or shows live links. */
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
  /** Rights beyond the role's, and those of the role that it lacked. */
  readonly more: readonly Permission[];
  readonly less: readonly Permission[];
  readonly readOnly: boolean;
  readonly neverDeletes: boolean;
}

/** What was judged of a visitor of a site when an access rule refused them. It names them, and holds nothing else of theirs. */
export interface RuleDecision {
  readonly kind: 'rule';
  readonly at: string;
  readonly code: string;
  readonly projectId: string;
  readonly place: RulePlace;
  /** The app user; null: somebody who has not signed in. */
  readonly userId: string | null;
  readonly outcome: Value;
  /** The digest of the condition; null: none was saved. */
  readonly rule: string | null;
  /** The digest of the policies that it leads to; left out: none. */
  readonly policies?: string;
  /** What each different rule of the condition came to, in their order, a letter each. Left out: it was not judged. */
  readonly outcomes?: string;
  /** So many rules were judged; left out: as many as there are outcomes. */
  readonly judged?: number;
  /** Why the condition could not be judged. May be cut. */
  readonly problem?: string;
}

export interface RulePlace {
  readonly kind: 'function' | 'account-function' | 'email' | 'proxy' | 'table' | 'field';
  readonly id: string;
  /** `execute`, `send`, `read` … */
  readonly operation: string;
  /** Of a field: its table. */
  readonly tableId?: string;
  readonly rowId?: string;
}

/** What a function was refused inside a run, because it lacks a power or a grant, or who was kept out by its `runBy`. */
export interface PowerDecision {
  readonly kind: 'power';
  readonly at: string;
  readonly code: string;
  /** `ctx.email.send`; for visitors, what they called. */
  readonly member: string;
  readonly functionId: string;
  readonly projectId?: string;
  readonly sentence: string;
  /** The visitor who was kept out. Left out: the function was. */
  readonly visitor?: { readonly kind: 'user' | 'visitor'; readonly id: string };
}

export type Decision = RightDecision | RuleDecision | PowerDecision;
