import type { Actor } from '../event/event.js';

/** The actor of what a site's visitor caused. Users are recorded by id alone: the log outlives their deletion. */
export function visitorActor({ kind, id }: { readonly kind: 'user' | 'visitor'; readonly id: string }): Actor {
  return { kind, id, name: kind === 'user' ? 'A site user' : 'A visitor' };
}
