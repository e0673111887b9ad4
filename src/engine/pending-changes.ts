import type { ActorKind } from '../kernel/caller.js';
import type { Json, JsonObject } from '../kernel/json.js';
import type { Call } from './operation/call.js';

/** One thing that a change would make different: a path into the target, and what stands there before and after. */
export interface ProposedDifference {
  readonly path: string;
  readonly from: Json;
  readonly to: Json;
}

/** What is put before a person instead of being done. */
export interface Proposal {
  /** E.g. `function-capabilities`: the newest card of a kind for one target replaces the older ones. */
  readonly kind: string;
  readonly summary: string;
  readonly target: { readonly kind: string; readonly id: string; readonly name: string };
  readonly changes: readonly ProposedDifference[];
  /** Who may approve it: whoever may edit functions, or the Owner and Admins alone. */
  readonly approver: 'editor' | 'admin';
  /** Digest of what the change stands on: it is applied to that and to nothing else. */
  readonly base: string;
  /** What is applied, exactly. */
  readonly input: JsonObject;
}

/** A card, as callers see it (settled question Q-G09). */
export interface PendingChangeCard extends Omit<Proposal, 'base' | 'input'> {
  readonly id: string;
  readonly requestedBy: CardActor;
  readonly status: 'pending' | 'applied' | 'rejected' | 'expired' | 'replaced' | 'failed';
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly hash: string;
  /** Who approved or rejected it, once somebody has. */
  readonly decidedBy?: CardActor;
  readonly decidedAt?: string;
  /** Why it was rejected, or could not be applied. */
  readonly reason?: string;
}

export interface CardActor {
  readonly kind: ActorKind;
  readonly id: string;
  readonly name: string;
  /** Whom an agent acts for. */
  readonly personBehind?: { readonly id: string; readonly name: string };
  /** Other members who count as having asked. */
  readonly makers?: readonly string[];
}

/** Puts changes before a person. */
export abstract class PendingChanges {
  /** Durable when it resolves. The answer of whoever asked carries the card and where it is approved. */
  abstract propose(
    call: Call,
    proposal: Proposal,
  ): Promise<{ readonly pendingChange: PendingChangeCard; readonly approveLink: string }>;
}
