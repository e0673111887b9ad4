import type { ActorKind } from '../kernel/caller.js';
import type { Json, JsonObject } from '../kernel/json.js';
import type { Call } from './operation/call.js';

/** One difference that a change would make: a path in the target, and its value before and after. */
export interface ProposedDifference {
  readonly path: string;
  readonly from: Json;
  readonly to: Json;
}

/** A change that waits for a person's approval instead of being applied. */
export interface Proposal {
  /** E.g. `function-capabilities`: the newest card of a kind for one target replaces the older ones. */
  readonly kind: string;
  readonly summary: string;
  readonly target: { readonly kind: string; readonly id: string; readonly name: string };
  readonly changes: readonly ProposedDifference[];
  /** Who may approve it: anybody who may edit functions, or only the Owner and Admins. */
  readonly approver: 'editor' | 'admin';
  /** Digest of the state that the change was proposed for. It is applied only if that state is unchanged. */
  readonly base: string;
  /** Exactly what is applied. */
  readonly input: JsonObject;
}

/** A card, as callers see it. */
export interface PendingChangeCard extends Omit<Proposal, 'base' | 'input'> {
  readonly id: string;
  readonly requestedBy: CardActor;
  readonly status: 'pending' | 'applied' | 'rejected' | 'expired' | 'replaced' | 'failed';
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly hash: string;
  /** Who approved or rejected it; left out while nobody has. */
  readonly decidedBy?: CardActor;
  readonly decidedAt?: string;
  /** The call that waits, to those who may make it themselves, while it waits. */
  readonly call?: { readonly operation: string; readonly input: JsonObject };
  /** Why it was rejected, or could not be applied. */
  readonly reason?: string;
}

export interface CardActor {
  readonly kind: ActorKind;
  readonly id: string;
  readonly name: string;
  /** The person an agent acts for. */
  readonly personBehind?: { readonly id: string; readonly name: string };
  /** Other members who count as having asked. */
  readonly makers?: readonly string[];
}

/** Turns changes into cards. */
export abstract class PendingChanges {
  /**
   * Durable when it resolves. The caller's answer will contain the card and the link to approve it. `id`: of the card; left
   * out, the call makes it.
   */
  abstract propose(
    call: Call,
    proposal: Proposal,
    id?: string,
  ): Promise<{ readonly pendingChange: PendingChangeCard; readonly approveLink: string }>;
}

/** Answers 202: nothing of what was asked has happened yet, because a person has to approve it first. */
export class PendingApproval {
  constructor(readonly body: object) {}
}
