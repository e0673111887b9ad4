import type { Reads } from '../../../engine/scopes/reads.js';
import { refuse } from '../workspace.refusals.js';
import { freshSettings, type Settings, type Workspace } from './workspace.record.js';

/**
 * Returns the workspace's feature switches and plan. If the read model does not contain the workspace, returns the
 * switches of a new workspace and the free plan.
 */
export async function termsOf(reads: Reads, workspaceId: string): Promise<Pick<Workspace, 'settings' | 'plan'>> {
  const workspace = await reads.get<Workspace>(workspaceId, 'workspaces', workspaceId);
  return workspace ?? { settings: freshSettings, plan: 'free' };
}

export async function settingsOf(reads: Reads, workspaceId: string): Promise<Settings> {
  return (await termsOf(reads, workspaceId)).settings;
}

/**
 * Refuses pages of runs after the first one unless the workspace setting allows them.
 * @throws Refusal older-runs-off
 */
export async function mustShowOlderRuns(reads: Reads, workspaceId: string): Promise<void> {
  if (!(await settingsOf(reads, workspaceId)).runsTab) refuse('older-runs-off');
}
