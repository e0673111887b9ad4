import { AddAgent, ListAgents, RemoveAgent, UpdateAgent } from './agent/agent.operations.js';
import { CreateApiKey, ListApiKeys, RevokeApiKey } from './api-key/api-key.operations.js';
import { AddMember, ListMembers, RemoveMember, UpdateMember } from './member/member.operations.js';
import { GetSettings, GetWorkspace, UpdateSettings, UpdateWorkspace } from './workspace/workspace.operations.js';

/** Every operation of the area, in the order of its document. */
export const workspaceOperations = [
  GetWorkspace,
  UpdateWorkspace,
  GetSettings,
  UpdateSettings,
  ListMembers,
  AddMember,
  UpdateMember,
  RemoveMember,
  AddAgent,
  UpdateAgent,
  ListAgents,
  RemoveAgent,
  CreateApiKey,
  ListApiKeys,
  RevokeApiKey,
] as const;
