import type { Caller } from '../../../kernel/callers/caller.js';
import type { Facts } from '../../../kernel/judging/facts.js';

/** A visitor of a site, as known when a run begins. `person` is absent before the visitor signs in. */
export interface Visitor extends Pick<Facts, 'now' | 'throughSite' | 'person'> {
  /** The site that they visit. Left out: wherever they are judged. */
  readonly projectId?: string;
  /** A member who looks at a preview or uses an app: counts as the owner, whom no rule keeps out (settled question Q-S61). */
  readonly member?: Caller;
}

/** The visitor as another site sees them: anonymous, because users belong to one site. */
export function visitorAt(visitor: Visitor, projectId: string): Visitor {
  const isAtHome = visitor.projectId === undefined || visitor.projectId === projectId;
  return isAtHome ? visitor : { now: visitor.now, throughSite: false, projectId };
}

/** Who gets in: every visitor, whoever has signed in, those whom the rules choose, or nobody but members with edit rights. */
export const audiences = ['everyone', 'signed-in', 'some', 'owner'] as const;
