import { type RunBy, startRefusal } from '../../../kernel/actors/run-by.js';
import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { Doors } from '../../../kernel/condition/opens-access.js';

interface RuledFunction extends Owned {
  readonly isActive: boolean;
  readonly grants: { readonly bases: readonly { readonly projectId: string }[] };
  readonly accessRules: { readonly execute: unknown; readonly runBy: RunBy | null };
}

/**
 * The rule of a function that is switched off, or that no page may start, is a door as well, because a person should see
 * the rule when it is made. So is each page of each site whose visitors the rule then judges.
 */
export const functionDoors: Doors<RuledFunction> = (fn) => [
  ({ accessRules }) => accessRules.execute,
  ({ accessRules, isActive }) => (isActive ? accessRules.execute : undefined),
  ...sitesOf(fn).flatMap((site) =>
    pagesOf(fn).map(
      (page) => (one: RuledFunction) => (isStartedFrom(one, site, page) ? one.accessRules.execute : undefined),
    ),
  ),
];

const sitesOf = ({ projectId, grants }: RuledFunction): readonly string[] =>
  projectId === undefined ? grants.bases.map((granted) => granted.projectId) : [projectId];

/** `null` means any page. */
function pagesOf({ accessRules: { runBy } }: RuledFunction): readonly (string | null)[] {
  const pages = runBy?.pages ?? false;
  return typeof pages === 'object' ? pages : [null];
}

const isStartedFrom = (fn: RuledFunction, site: string, pageId: string | null): boolean =>
  sitesOf(fn).includes(site) && startRefusal(fn, { kind: 'visitor', id: site, pageId }) === undefined;
