import type { Call } from '../../../engine/operation/call.js';
import { Operation } from '../../../engine/operation/operation.js';
import { answers, decides } from '../../../engine/records/rule.js';
import {
  type AskMode,
  askModes,
  type CallerKind,
  callerKinds,
  type Permission,
  type Role,
} from '../../../kernel/callers/caller.js';
import { Field } from '../../../kernel/field/field.js';
import { nameField } from '../../../kernel/field/plain-text.js';
import { type Credits, creditsLeft } from '../credits/credits.record.js';
import { changeSettings } from './workspace.js';
import {
  type CodeCards,
  codeCardModes,
  type Plan,
  plans,
  type Settings,
  type Workspace,
  workspaces,
} from './workspace.record.js';

const source = 'Supplementary, workspace';
const settingField = { type: 'boolean' } as const;
const automationsAskWords = 'Which commands of automation keys wait for a person, as `asks` of agents says.';
const codeCardsWords =
  'Of which functions publishing code waits for a person: with Full data access, with powers or secrets as well, or all.';
const optionalSetting = { type: 'boolean', optional: true } as const;

export class Me {
  @Field({ type: 'string', enum: callerKinds }) kind!: CallerKind;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', enum: ['owner', 'admin', 'editor', 'viewer'] }) role!: Role;
  @Field({ type: 'boolean' }) readOnly!: boolean;
  @Field({ type: 'boolean' }) neverDeletes!: boolean;
  @Field({ type: 'array', items: 'string', description: "The role's and those granted beyond it, sorted." })
  permissions!: readonly Permission[];
}

export class WorkspaceRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) handle!: string;
  @Field({ type: 'string', enum: plans }) plan!: Plan;
  @Field({ type: 'integer', description: 'Calls of the assistant that are left; whoever runs the service adds more.' })
  aiCredits!: number;
  @Field({ type: 'object', shape: () => Me, description: 'Who asks.' }) me!: Me;
}

@Operation('workspace/getWorkspace', {
  summary: 'Returns the workspace and who asks.',
  source,
  group: 'workspace',
  effect: 'query',
  permission: 'workspace.read',
  tools: 'granted',
  answers: { record: WorkspaceRecord },
})
export class GetWorkspace {}

@Operation('workspace/updateWorkspace', {
  summary: 'Renames the workspace; its handle stays.',
  source,
  group: 'workspace',
  effect: 'command',
  permission: 'workspace.manage',
  tools: 'never',
  answers: { record: WorkspaceRecord },
})
export class UpdateWorkspace {
  @Field({ ...nameField, optional: true }) name?: string;
}

/** Feature switches (settled question Q-G24). */
export class SettingsRecord implements Settings {
  @Field(settingField) versions!: boolean;
  @Field(settingField) functionLogs!: boolean;
  @Field(settingField) runsTab!: boolean;
  @Field(settingField) siteFunctionWebhooks!: boolean;
  @Field(settingField) siteFunctionTargets!: boolean;
  @Field(settingField) accountFunctionScheduleTargets!: boolean;
  @Field(settingField) actsAsWorkspaceSwitch!: boolean;
  @Field(settingField) fourEyes!: boolean;
  @Field({ type: 'string', enum: askModes, description: automationsAskWords }) automationsAsk!: AskMode;
  @Field({ type: 'string', enum: codeCardModes, description: codeCardsWords }) codeCards!: CodeCards;
}

@Operation('workspace/getSettings', {
  summary: 'Returns all feature switches of the workspace.',
  source,
  group: 'workspace',
  effect: 'query',
  permission: 'workspace.read',
  tools: 'granted',
  answers: { record: SettingsRecord },
})
export class GetSettings {}

@Operation('workspace/updateSettings', {
  summary: 'Sets the feature switches that are sent and answers all of them.',
  source,
  group: 'workspace',
  effect: 'command',
  permission: 'workspace.manage',
  callers: ['person'],
  tools: 'never',
  answers: { record: SettingsRecord },
})
export class UpdateSettings implements Partial<Settings> {
  @Field(optionalSetting) versions?: boolean;
  @Field(optionalSetting) functionLogs?: boolean;
  @Field(optionalSetting) runsTab?: boolean;
  @Field(optionalSetting) siteFunctionWebhooks?: boolean;
  @Field(optionalSetting) siteFunctionTargets?: boolean;
  @Field(optionalSetting) accountFunctionScheduleTargets?: boolean;
  @Field(optionalSetting) actsAsWorkspaceSwitch?: boolean;
  @Field(optionalSetting) fourEyes?: boolean;
  @Field({ type: 'string', enum: askModes, optional: true, description: automationsAskWords })
  automationsAsk?: AskMode;
  @Field({ type: 'string', enum: codeCardModes, optional: true, description: codeCardsWords })
  codeCards?: CodeCards;
}

export const workspaceHandlers = [
  answers(GetWorkspace, async (reads, _, call) => {
    const workspace = await reads.get<Workspace>(call.workspaceId, 'workspaces', call.workspaceId);
    const credits = await reads.get<Credits>(call.workspaceId, 'credits', call.workspaceId);
    return workspace ? workspaceRecord(workspace, creditsLeft(credits, call.at), call) : workspaces.missing();
  }),
  answers(GetSettings, async (reads, _, call) => {
    const workspace = await reads.get<Workspace>(call.workspaceId, 'workspaces', call.workspaceId);
    return workspace?.settings ?? workspaces.missing();
  }),
  decides(UpdateSettings, {
    aggregate: workspaces,
    id: (_, call) => call.workspaceId,
    decide: (workspace, input) => (workspace ? changeSettings(workspace, input) : []),
    answer: (workspace) => workspace?.settings,
  }),
];

/** The workspace as shown to the caller. */
export function workspaceRecord(workspace: Workspace, aiCredits: number, { caller }: Call): WorkspaceRecord {
  if (caller === undefined) return workspaces.missing();
  const { id, name, handle, plan } = workspace;
  const { kind, role, readOnly, neverDeletes } = caller;
  const permissions = [...caller.permissions].sort();
  const me = { kind, id: caller.id, name: caller.name, role, readOnly, neverDeletes, permissions };
  return { id, name, handle, plan, aiCredits, me };
}
