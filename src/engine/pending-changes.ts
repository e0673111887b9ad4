import { Injectable } from '@nestjs/common';
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

/** An approved change, on its way to what it changes. */
export type ApprovedChange = Pick<Proposal, 'kind' | 'base' | 'input'> & { readonly targetId: string };

/** What cards of some kinds change. */
export interface GatedTarget {
  /** Digest of what a change of this kind stands on now; undefined when the target is gone. */
  base(workspaceId: string, change: Omit<ApprovedChange, 'base'>): Promise<string | undefined>;
  /** What stands at each of these paths now; undefined when the target is gone. */
  standing(workspaceId: string, targetId: string, paths: readonly string[]): Promise<JsonObject | undefined>;
  /** Does it. The call is the same each time, so that done twice it is done once. @throws Refusal */
  apply(call: Call, change: ApprovedChange): Promise<void>;
}

/** What can be undone for a while after it was done at once. */
export interface UndoableTarget {
  isAvailable(workspaceId: string, targetId: string, undo: string): Promise<boolean>;
  /** @throws Refusal undo-unavailable */
  undo(call: Call, targetId: string, undo: string): Promise<void>;
}

/** Who knows how to apply, and how to undo. Slices enter themselves at start. */
@Injectable()
export class ChangeTargets {
  private readonly gated = new Map<string, GatedTarget>();
  private readonly undoable = new Map<string, UndoableTarget>();

  gate(kinds: readonly string[], target: GatedTarget): void {
    for (const kind of kinds) this.gated.set(kind, target);
  }

  gatedBy(kind: string): GatedTarget {
    const found = this.gated.get(kind);
    if (found === undefined) throw new Error(`Nobody applies changes of the kind ${kind}.`);
    return found;
  }

  undoes(targetKind: string, target: UndoableTarget): void {
    this.undoable.set(targetKind, target);
  }

  undoneBy(targetKind: string): UndoableTarget {
    const found = this.undoable.get(targetKind);
    if (found === undefined) throw new Error(`Nobody undoes changes of a ${targetKind}.`);
    return found;
  }
}
