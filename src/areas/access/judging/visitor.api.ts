import type { Caller } from '../../../kernel/callers/caller.js';
import type { Facts } from '../../../kernel/judging/facts.js';

/** A visitor of a site, as known when a run begins. `person` is absent until the visitor signs in. */
export interface Visitor extends Pick<Facts, 'now' | 'throughSite' | 'person'> {
  /**
   * The site on which the visitor is. If omitted, the visitor is treated as a visitor of the site whose condition is
   * judged.
   */
  readonly projectId?: string;
  /**
   * A member who views a preview or uses an app. Conditions do not restrict members: they have the owner's access
   * (Q-S61).
   */
  readonly member?: Caller;
}

/**
 * Returns the visitor as this site sees it. A user of another site is anonymous here, because users belong to one site.
 */
export function visitorAt(visitor: Visitor, projectId: string): Visitor {
  const isAtHome = visitor.projectId === undefined || visitor.projectId === projectId;
  return isAtHome ? visitor : { now: visitor.now, throughSite: false, projectId };
}

/** Who has access: every visitor, all signed-in users, those whom the rules admit, or only members with edit rights. */
export const audiences = ['everyone', 'signed-in', 'some', 'owner'] as const;
