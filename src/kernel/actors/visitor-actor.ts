import type { Actor } from '../event/event.js';

/**
 * The actor of what a visitor of a site caused. Users of the site are recorded by id alone, because the log outlives
 * their deletion.
 */
export function visitorActor({ kind, id }: { readonly kind: 'user' | 'visitor'; readonly id: string }): Actor {
  return { kind, id, name: kind === 'user' ? 'A site user' : 'A visitor' };
}
