import type { Plan } from '../../workspace/workspace/workspace.record.js';

/** Maximum number of sites and workspace apps of a workspace, by plan (Q-S04 for sites). */
export const projectLimits: Readonly<Record<Plan, { readonly sites: number; readonly apps: number }>> = {
  free: { sites: 3, apps: 1 },
  starter: { sites: 20, apps: 5 },
  pro: { sites: 500, apps: 50 },
};

/** Formats a plan's limit: `3 sites`, `1 workspace app`. */
export function projectsOf(plan: Plan, kind: 'sites' | 'apps'): string {
  const limit = projectLimits[plan][kind];
  return `${limit} ${kind === 'apps' ? 'workspace app' : 'site'}${limit === 1 ? '' : 's'}`;
}
