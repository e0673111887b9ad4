import type { Caller } from '../../../kernel/callers/caller.js';
import type { Facts } from '../../../kernel/judging/facts.js';

/** A visitor as of the beginning of a run. `person` is absent until the visitor signs in. */
export interface Visitor extends Pick<Facts, 'now' | 'throughSite' | 'person'> {
  /** If omitted, the visitor is treated as a visitor of the site whose condition is judged. */
  readonly projectId?: string;
  /**
   * A member who views a preview or uses an app. Conditions do not restrict members: they have the owner's access
   * (Q-S61).
   */
  readonly member?: Caller;
}

/**
 * Returns the visitor as seen by the site `projectId`. A user of another site is anonymous there, because users belong
 * to one site.
 */
export function visitorAt(visitor: Visitor, projectId: string): Visitor {
  const isAtHome = visitor.projectId === undefined || visitor.projectId === projectId;
  return isAtHome ? visitor : { now: visitor.now, throughSite: false, projectId };
}

/** Who has access. `some` means only the visitors whom the rules admit, `owner` only members with edit rights. */
export const audiences = ['everyone', 'signed-in', 'some', 'owner'] as const;
