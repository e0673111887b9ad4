import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { Reads } from '../../../engine/scopes/reads.js';
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
import { changeSettings, renameWorkspace } from './workspace.js';
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
const automationsAskWords =
  "Which commands of automation keys require approval by a person. The values are those of an agent's `asks`.";
const codeCardsWords =
  'For which functions publishing code requires approval by a person: those with Full data access, also those with powers or secrets, or all.';
const optionalSetting = { type: 'boolean', optional: true } as const;

export class Me {
  @Field({ type: 'string', enum: callerKinds }) kind!: CallerKind;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', enum: ['owner', 'admin', 'editor', 'viewer'] }) role!: Role;
  @Field({ type: 'boolean' }) readOnly!: boolean;
  @Field({ type: 'boolean' }) neverDeletes!: boolean;
  @Field({ type: 'array', items: 'string', description: 'Permissions of the role and additional ones, sorted.' })
  permissions!: readonly Permission[];
}

export class WorkspaceRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) handle!: string;
  @Field({ type: 'string', enum: plans }) plan!: Plan;
  @Field({
    type: 'integer',
    description: 'Remaining AI credits, one for each call of the assistant. The operator of the service can add more.',
  })
  aiCredits!: number;
  @Field({ type: 'object', shape: () => Me, description: 'The caller.' }) me!: Me;
}

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

export const workspaceOperations = [
  query('workspace/getWorkspace', {
    summary: 'Returns the workspace and the caller.',
    source,
    group: 'workspace',
    permission: 'workspace.read',
    tools: 'granted',
    answers: { record: WorkspaceRecord },
    input: {},
    inject: [Reads],
    handle: async (_, call, reads) => {
      const workspace = await reads.get<Workspace>(call.workspaceId, 'workspaces', call.workspaceId);
      return workspaceRecord(workspace ?? workspaces.missing(), await creditsOf(reads, call), call);
    },
  }),
  command('workspace/updateWorkspace', {
    summary: 'Renames the workspace. Its handle does not change.',
    source,
    group: 'workspace',
    permission: 'workspace.manage',
    tools: 'never',
    answers: { record: WorkspaceRecord },
    input: {
      name: { ...nameField, optional: true },
    },
    inject: [CommandRunner, Reads],
    handle: async ({ name }, call, runner, reads) => {
      const renamed = await runner.change(call, {
        aggregate: workspaces,
        id: call.workspaceId,
        decide: (workspace) => (workspace && name !== undefined ? renameWorkspace(workspace, name) : []),
      });
      return workspaceRecord(renamed ?? workspaces.missing(), await creditsOf(reads, call), call);
    },
  }),
  query('workspace/getSettings', {
    summary: 'Returns all settings of the workspace.',
    source,
    group: 'workspace',
    permission: 'workspace.read',
    tools: 'granted',
    answers: { record: SettingsRecord },
    input: {},
    inject: [Reads],
    handle: async (_, { workspaceId }, reads) =>
      (await reads.get<Workspace>(workspaceId, 'workspaces', workspaceId))?.settings ?? workspaces.missing(),
  }),
  recordCommand('workspace/updateSettings', {
    summary: 'Changes the given settings and returns all of them.',
    source,
    group: 'workspace',
    permission: 'workspace.manage',
    callers: ['person'],
    tools: 'never',
    answers: { record: SettingsRecord },
    input: {
      versions: optionalSetting,
      functionLogs: optionalSetting,
      runsTab: optionalSetting,
      siteFunctionWebhooks: optionalSetting,
      siteFunctionTargets: optionalSetting,
      accountFunctionScheduleTargets: optionalSetting,
      actsAsWorkspaceSwitch: optionalSetting,
      fourEyes: optionalSetting,
      automationsAsk: { type: 'string', enum: askModes, optional: true, description: automationsAskWords },
      codeCards: { type: 'string', enum: codeCardModes, optional: true, description: codeCardsWords },
    },
    record: workspaces,
    id: (_, { workspaceId }) => workspaceId,
    decide: changeSettings,
    answer: (workspace) => workspace?.settings,
  }),
];

const creditsOf = async (reads: Reads, { workspaceId, at }: OperationContext): Promise<number> =>
  creditsLeft(await reads.get<Credits>(workspaceId, 'credits', workspaceId), at);

export function workspaceRecord(
  workspace: Workspace,
  aiCredits: number,
  { caller }: OperationContext,
): WorkspaceRecord {
  if (caller === undefined) return workspaces.missing();
  const { id, name, handle, plan } = workspace;
  const { kind, role, readOnly, neverDeletes } = caller;
  const permissions = [...caller.permissions].sort();
  const me = { kind, id: caller.id, name: caller.name, role, readOnly, neverDeletes, permissions };
  return { id, name, handle, plan, aiCredits, me };
}
