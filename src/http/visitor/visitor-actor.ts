import type { SiteVisitor } from '../../areas/app-users/site-pass/site-passes.api.js';
import type { Actor } from '../../kernel/event.js';
import { visitorActor } from '../../kernel/visitor-actor.js';

/** Who did what a visitor's call recorded. */
export function visitorActorOf({
  projectId,
  user,
  guestId,
}: Pick<SiteVisitor, 'projectId' | 'user' | 'guestId'>): Actor {
  if (user !== undefined) return visitorActor({ kind: 'user', id: user.id });
  return visitorActor({ kind: 'visitor', id: guestId ?? projectId });
}
