import type { Reads } from '../../../engine/scopes/reads.js';
import { refuse } from '../workspace.refusals.js';
import { freshSettings, type Settings, type Workspace } from './workspace.record.js';

/** If the read model does not contain the workspace, returns the settings of a new workspace and the free plan. */
export async function termsOf(reads: Reads, workspaceId: string): Promise<Pick<Workspace, 'settings' | 'plan'>> {
  const workspace = await reads.get<Workspace>(workspaceId, 'workspaces', workspaceId);
  return workspace ?? { settings: freshSettings, plan: 'free' };
}

export async function settingsOf(reads: Reads, workspaceId: string): Promise<Settings> {
  return (await termsOf(reads, workspaceId)).settings;
}

/**
 * If the workspace setting `runsTab` is off, only the first page of runs is shown.
 * @throws Refusal older-runs-off
 */
export async function mustShowOlderRuns(reads: Reads, workspaceId: string): Promise<void> {
  if (!(await settingsOf(reads, workspaceId)).runsTab) refuse('older-runs-off');
}
