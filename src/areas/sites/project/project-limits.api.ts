import type { Plan } from '../../workspace/workspace/workspace.record.js';

export const projectLimits: Readonly<Record<Plan, { readonly sites: number; readonly apps: number }>> = {
  free: { sites: 3, apps: 1 },
  starter: { sites: 20, apps: 5 },
  pro: { sites: 500, apps: 50 },
};

export function projectsOf(plan: Plan, kind: 'sites' | 'apps'): string {
  const limit = projectLimits[plan][kind];
  return `${limit} ${kind === 'apps' ? 'workspace app' : 'site'}${limit === 1 ? '' : 's'}`;
}
