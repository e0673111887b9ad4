import { no } from './no.js';

export const workspaceRefusals = {
  'workspace-not-found': no('not-found', () => 'There is no such workspace.'),
} as const;
