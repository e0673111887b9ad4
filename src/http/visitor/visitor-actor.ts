import type { SiteVisitor } from '../../areas/app-users/site-pass/site-passes.api.js';
import { actorOf } from '../../engine/operation/calls.js';
import { visitorActor } from '../../kernel/actors/visitor-actor.js';
import type { Actor } from '../../kernel/event/event.js';

/** For a visitor who is neither a member, a user nor a guest, the actor's id is the project's id. */
export function visitorActorOf({
  projectId,
  user,
  guestId,
  visitor,
}: Pick<SiteVisitor, 'projectId' | 'user' | 'guestId'> & Partial<Pick<SiteVisitor, 'visitor'>>): Actor {
  if (visitor?.member !== undefined) return actorOf(visitor.member);
  if (user !== undefined) return visitorActor({ kind: 'user', id: user.id });
  return visitorActor({ kind: 'visitor', id: guestId ?? projectId });
}
