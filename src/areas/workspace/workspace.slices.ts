import { Authenticator } from '../../engine/authorisation/authenticator.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { StartableTargets } from '../../engine/scopes/startable-targets.js';
import { Starters } from '../../engine/scopes/starters.js';
import { agentOperations } from './agent/agent.operations.js';
import { agents } from './agent/agent.record.js';
import { AgentTools } from './agent/agent-tools.js';
import { ConnectedApps } from './agent/connected-apps.api.js';
import { returningAgents } from './agent/returning-agents.js';
import { apiKeyOperations } from './api-key/api-key.operations.js';
import { apiKeys } from './api-key/api-key.record.js';
import { ClientKeys } from './api-key/client-keys.api.js';
import { EndingKeys } from './api-key/ending-keys.api.js';
import { KeyAuthenticator } from './api-key/key-authenticator.js';
import { KeyReach } from './api-key/key-reach.js';
import { KeyUse } from './api-key/key-use.js';
import { NewApiKeys } from './api-key/new-api-keys.js';
import { chatOperations } from './chat/chat.operations.js';
import { chats } from './chat/chat.record.js';
import { Chats } from './chat/chats.api.js';
import { AiCredits } from './credits/ai-credits.api.js';
import { creditsOfWorkspace } from './credits/credits.record.js';
import { memberOperations } from './member/member.operations.js';
import { members } from './member/member.record.js';
import { MemberStarters } from './member/member-starters.js';
import { WorkspaceCreator } from './workspace/create-workspace.api.js';
import { FirstStart } from './workspace/first-start.js';
import { OperatorKeys } from './workspace/operator-keys.js';
import { OperatorPlans } from './workspace/operator-plans.api.js';
import { Owners } from './workspace/owner.js';
import { SiteTargetSwitch } from './workspace/site-target-switch.js';
import { workspaceOperations } from './workspace/workspace.operations.js';
import { workspaces } from './workspace/workspace.record.js';

export const workspaceSlices: readonly Slice[] = [
  slice(workspaces, workspaceOperations),
  slice(creditsOfWorkspace, [AiCredits]),
  slice(members, [...memberOperations]),
  slice(agents, [...agentOperations, AgentTools, ConnectedApps, returningAgents]),
  slice(chats, [...chatOperations, Chats]),
  slice(apiKeys, [...apiKeyOperations, NewApiKeys, KeyReach, KeyUse, ClientKeys]),
  EndingKeys,
  Owners,
  OperatorKeys,
  OperatorPlans,
  WorkspaceCreator,
  FirstStart,
  SiteTargetSwitch,
  { provide: Authenticator, useClass: KeyAuthenticator },
  { provide: Starters, useClass: MemberStarters },
  StartableTargets,
];
