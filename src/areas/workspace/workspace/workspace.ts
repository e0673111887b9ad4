import { differing } from '../../../kernel/record/differing.js';
import { slugOf } from '../../../kernel/text/slug.js';
import type { Plan, Settings, Workspace, WorkspaceEvent } from './workspace.record.js';

/** A new workspace of a self-hosted service has the largest plan; the command `plan:set` changes it. */
const firstPlan: Plan = 'pro';

export function createWorkspace(name: string): readonly WorkspaceEvent[] {
  return [{ type: 'WorkspaceCreated', data: { name, handle: handleOf(name), plan: firstPlan } }];
}

export function renameWorkspace(workspace: Workspace, name: string): readonly WorkspaceEvent[] {
  return name === workspace.name ? [] : [{ type: 'WorkspaceRenamed', data: { name } }];
}

export function setPlan(workspace: Workspace, plan: Plan): readonly WorkspaceEvent[] {
  return plan === workspace.plan ? [] : [{ type: 'PlanChanged', data: { plan } }];
}

export function changeSettings(workspace: Workspace, sent: Partial<Settings>): readonly WorkspaceEvent[] {
  const settings = differing(workspace.settings, sent);
  return settings === undefined ? [] : [{ type: 'SettingsChanged', data: { settings } }];
}

/** Renaming the workspace does not change the handle. 'Café Müller & Co.' becomes `cafe-muller-co`. */
export function handleOf(name: string): string {
  return slugOf(name, 48) || 'workspace';
}
