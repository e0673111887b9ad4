import { differing } from '../../../kernel/record/differing.js';
import { slugOf } from '../../../kernel/text/slug.js';
import type { Plan, Settings, Workspace, WorkspaceEvent } from './workspace.record.js';

/** Plan of a new workspace. A self-hosted service gives the largest one; the command `plan:set` changes it. */
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

/** Records only the settings that change. */
export function changeSettings(workspace: Workspace, sent: Partial<Settings>): readonly WorkspaceEvent[] {
  const settings = differing(workspace.settings, sent);
  return settings === undefined ? [] : [{ type: 'SettingsChanged', data: { settings } }];
}

/**
 * Returns the part of addresses that names a workspace: `cafe-muller-co` for 'Café Müller & Co.', or `workspace` if
 * nothing in the name can be used. Renaming the workspace does not change it.
 */
export function handleOf(name: string): string {
  return slugOf(name, 48) || 'workspace';
}
