import type { Caller } from '../../../kernel/callers/caller.js';
import type { Facts } from '../../../kernel/judging/facts.js';

/** What is known of a visitor of a site when a run begins; `person` is left out for whoever has not signed in. */
export interface Visitor extends Pick<Facts, 'now' | 'throughSite' | 'person'> {
  /** The site that they visit. Left out: wherever they are judged. */
  readonly projectId?: string;
  /** A member who looks at a preview or uses an app: counts as the owner, whom no rule keeps out (settled question Q-S61). */
  readonly member?: Caller;
}

/** The visitor as another site sees them: its users are its own, so there they are nobody. */
export function visitorAt(visitor: Visitor, projectId: string): Visitor {
  const isAtHome = visitor.projectId === undefined || visitor.projectId === projectId;
  return isAtHome ? visitor : { now: visitor.now, throughSite: false, projectId };
}
