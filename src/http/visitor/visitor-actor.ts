import type { SiteVisitor } from '../../areas/app-users/site-pass/site-passes.api.js';
import { actorOf } from '../../engine/operation/calls.js';
import { visitorActor } from '../../kernel/actors/visitor-actor.js';
import type { Actor } from '../../kernel/event/event.js';

/**
 * Returns the actor of the events that a visitor's call records: a member, a user of the site, or a guest. A visitor
 * who is none of these has the id of the project.
 */
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
