import type { ActorKind } from '../../kernel/callers/caller.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { Json, JsonObject } from '../../kernel/json/json.js';
import type { OperationContext } from '../operation/operation-context.js';

export interface ProposedDifference {
  readonly path: string;
  readonly from: Json;
  readonly to: Json;
}

export interface Proposal {
  /**
   * Kind of the change, e.g. `function-capabilities`. A new card (a change that waits for approval) replaces older
   * cards of the same kind and target.
   */
  readonly kind: string;
  readonly summary: string;
  readonly target: { readonly kind: string; readonly id: string; readonly name: string };
  readonly changes: readonly ProposedDifference[];
  /** The lowest role that may approve the card. `admin` includes the owner. */
  readonly approver: 'editor' | 'admin';
  /** Digest of the state that the change was proposed for. The change is applied only if the digest is unchanged. */
  readonly base: string;
  readonly input: JsonObject;
  /** Id of a waiting card whose change this one includes. That card's requesters become requesters of this card too. */
  readonly composes?: string;
}

export interface NamedCard {
  readonly id: string;
  readonly summary: string;
}

export interface PendingChangeCard extends Omit<Proposal, 'base' | 'input' | 'composes'> {
  readonly id: string;
  readonly requestedBy: CardActor;
  readonly alsoRequestedBy?: readonly CardActor[];
  readonly requestReason?: string;
  readonly status: 'pending' | 'applied' | 'rejected' | 'expired' | 'replaced' | 'failed';
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly hash: string;
  readonly replaces?: NamedCard;
  readonly replacedBy?: Pick<NamedCard, 'id'>;
  readonly decidedBy?: CardActor;
  readonly decidedAt?: string;
  /**
   * The call that will be made. Shown only until the card is decided, and only to callers who may make the call
   * themselves.
   */
  readonly call?: { readonly operation: string; readonly input: JsonObject };
  /** Reason why the card was rejected or could not be applied. */
  readonly reason?: string;
}

export interface CardActor {
  readonly kind: ActorKind;
  readonly id: string;
  readonly name: string;
  readonly personBehind?: { readonly id: string; readonly name: string };
  /** Ids of other members who are treated as requesters. */
  readonly makers?: readonly string[];
}

export abstract class PendingChanges {
  /** The card is durable when the promise resolves. If `id` is omitted, the card's id is derived from the call. */
  abstract propose(
    call: OperationContext,
    proposal: Proposal,
    id?: string,
  ): Promise<{ readonly pendingChange: PendingChangeCard; readonly approveLink: string }>;

  /** Returns the newest waiting card of this kind for the target. */
  abstract waiting(
    workspaceId: string,
    about: { readonly kind: string; readonly targetId: string },
  ): Promise<{ readonly id: string; readonly input: JsonObject } | undefined>;
}

export const movedSomehow = 'The record has changed since this card was made, so the card is void.';

/** `sentence` must not end with a full stop. */
export function movedWords(name: string, sentence: string, { metadata: { actor, at } }: RecordedEvent): string {
  const what = sentence.charAt(0).toLowerCase() + sentence.slice(1);
  const when = `${at.slice(0, 10)} at ${at.slice(11, 16)} UTC`;
  return `'${name}' changed after this card was made (${what}, by ${actor.name} on ${when}), so the card is void.`;
}
