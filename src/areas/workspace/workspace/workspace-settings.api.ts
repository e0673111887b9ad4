import type { Reads } from '../../../engine/scopes/reads.js';
import { freshSettings, type Settings, type Workspace } from './workspace.record.js';

/** The current feature switches. */
export async function settingsOf(reads: Reads, workspaceId: string): Promise<Settings> {
  return (await reads.get<Workspace>(workspaceId, 'workspaces', workspaceId))?.settings ?? freshSettings;
}
