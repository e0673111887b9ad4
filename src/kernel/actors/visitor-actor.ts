import type { Actor } from '../event/event.js';

/**
 * Who did what a visitor of a site caused. Users of the site are named by id alone, because an actor stays in the log
 * after the user is deleted.
 */
export function visitorActor({ kind, id }: { readonly kind: 'user' | 'visitor'; readonly id: string }): Actor {
  return { kind, id, name: kind === 'user' ? 'A site user' : 'A visitor' };
}
