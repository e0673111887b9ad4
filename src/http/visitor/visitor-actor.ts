import type { SiteVisitor } from '../../areas/app-users/site-pass/site-passes.api.js';
import type { Actor } from '../../kernel/event.js';

/** Who did what a visitor's call recorded. Users are named by id alone. */
export function visitorActorOf({ projectId, user, guestId }: SiteVisitor): Actor {
  if (user !== undefined) return { kind: 'user', id: user.id, name: 'A site user' };
  return { kind: 'visitor', id: guestId ?? projectId, name: 'A visitor' };
}
