import type { AskMode } from '../../../kernel/callers/caller.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import { refuse } from '../workspace.refusals.js';

/**
 * A new workspace has all features switched on except `actsAsWorkspaceSwitch` and `fourEyes` (settled question Q-G24).
 */
export interface Settings {
  readonly versions: boolean;
  readonly functionLogs: boolean;
  readonly runsTab: boolean;
  readonly siteFunctionWebhooks: boolean;
  readonly siteFunctionTargets: boolean;
  readonly accountFunctionScheduleTargets: boolean;
  readonly actsAsWorkspaceSwitch: boolean;
  readonly fourEyes: boolean;
  /** The commands that need a person's approval when they are called with the key of an automation. */
  readonly automationsAsk: AskMode;
  /**
   * The functions whose new code needs a person's approval. Functions with Full data access always need it. `powers`
   * adds functions with powers or secrets, and `all` adds all others.
   */
  readonly codeCards: CodeCards;
}

export const codeCardModes = ['full-data-access', 'powers', 'all'] as const;
export type CodeCards = (typeof codeCardModes)[number];

export const freshSettings: Settings = {
  versions: true,
  functionLogs: true,
  runsTab: true,
  siteFunctionWebhooks: true,
  siteFunctionTargets: true,
  accountFunctionScheduleTargets: true,
  actsAsWorkspaceSwitch: false,
  fourEyes: false,
  automationsAsk: 'nothing',
  codeCards: 'full-data-access',
};

export const plans = ['free', 'starter', 'pro'] as const;
export type Plan = (typeof plans)[number];

export type WorkspaceEvent =
  | DomainEvent<'WorkspaceCreated', { readonly name: string; readonly handle: string; readonly plan: Plan }>
  | DomainEvent<'WorkspaceRenamed', { readonly name: string }>
  | DomainEvent<'PlanChanged', { readonly plan: Plan }>
  | DomainEvent<'SettingsChanged', { readonly settings: Partial<Settings> }>;

export interface Workspace extends Document {
  readonly name: string;
  readonly handle: string;
  readonly plan: Plan;
  readonly settings: Settings;
  readonly createdAt: string;
}

/** The record of a workspace has the id of the workspace, so the stream `workspace-ws_1.ws_1` is that of `ws_1`. */
export const workspaces = record<Workspace, WorkspaceEvent>()({
  category: 'workspace',
  auditedFor: 'workspace.read',
  shownBy: 'workspace/getSettings',
  undoing: {
    sets: ['workspace/updateWorkspace', { operation: 'workspace/updateSettings', of: 'settings' }],
    gone: 'A workspace cannot be deleted.',
  },
  missing: () => refuse('workspace-not-found'),
  collection: { name: 'workspaces', version: 3, indexes: [{ fields: ['handle'] }] },
  begins: {
    WorkspaceCreated: ({ data, metadata }, ids) => ({
      ...ids,
      ...data,
      settings: freshSettings,
      createdAt: metadata.at,
    }),
  },
  continues: {
    WorkspaceRenamed: (workspace, { data }) => ({ ...workspace, name: data.name }),
    PlanChanged: (workspace, { data }) => ({ ...workspace, plan: data.plan }),
    SettingsChanged: (workspace, { data }) => ({ ...workspace, settings: { ...workspace.settings, ...data.settings } }),
  },
});
