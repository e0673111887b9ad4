import type { Actor } from '../event/event.js';

/** The name of a site's user is not recorded, because it would remain in the log after the user is deleted. */
export function visitorActor({ kind, id }: { readonly kind: 'user' | 'visitor'; readonly id: string }): Actor {
  return { kind, id, name: kind === 'user' ? 'A site user' : 'A visitor' };
}
