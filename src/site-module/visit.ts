import type { SiteUser } from './site.js';
import type { ReadablePage, SiteData, SitePages } from './site-data.js';

interface Visit {
  /** Undefined while unknown. */
  readonly user: SiteUser | null | undefined;
  readonly pages: readonly ReadablePage[];
}

let site: Pick<SiteData, 'base' | 'login'> | undefined;
let visit: Visit = { user: undefined, pages: [] };
const listeners = new Set<() => void>();

export const currentVisit = (): Visit => visit;
export const currentSite = () => site;

export function beginVisit(data: SiteData): void {
  site = data;
  visit = { user: data.user, pages: data.pages };
}

export function sawUser(user: SiteUser | null): void {
  visit = { ...visit, user };
  for (const listener of listeners) listener();
}

export function sawPages({ user, pages }: SitePages): void {
  visit = { user, pages };
  for (const listener of listeners) listener();
}

export function onVisitChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
